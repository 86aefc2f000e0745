import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.*;
import java.nio.channels.*;
import java.security.*;
import java.security.cert.*;
import java.time.Duration;
import java.util.Set;
import javax.net.ssl.*;

/*
 * Get KIND URL SECONDS OTHER_URL: three times the page, each over a connection of its own, after
 * another page that loads and compiles all that this takes.
 */
public class Get {
	static SSLContext trust() throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null, null);
		try (InputStream in = new FileInputStream(System.getenv("SSL_CERT_FILE"))) {
			store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
		}
		TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trusted.init(store);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trusted.getTrustManagers(), null);
		return context;
	}

	static String byConnection(URI url, int ms) throws Exception {
		HttpURLConnection connection = (HttpURLConnection)url.toURL().openConnection();
		if (connection instanceof HttpsURLConnection)
			((HttpsURLConnection)connection).setSSLSocketFactory(trust().getSocketFactory());
		connection.setConnectTimeout(ms);
		connection.setReadTimeout(ms);
		connection.setRequestProperty("Connection", "close");
		return new String(connection.getInputStream().readAllBytes());
	}

	static String byClient(URI url, int ms) throws Exception {
		HttpClient client = HttpClient.newBuilder().sslContext(trust())
			.version(url.getScheme().equals("http") ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2)
			.connectTimeout(Duration.ofMillis(ms)).build();
		return client.send(HttpRequest.newBuilder(url).timeout(Duration.ofMillis(ms)).build(),
			HttpResponse.BodyHandlers.ofString()).body();
	}

	static String bySocket(URI url, int ms) throws Exception {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), ms);
			socket.setSoTimeout(ms);
			socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes());
			return new String(socket.getInputStream().readAllBytes()).split("\r\n\r\n", 2)[1];
		}
	}

	static String byChannel(URI url, int ms) throws Exception {
		try (SocketChannel channel = SocketChannel.open(); Selector selector = Selector.open()) {
			channel.configureBlocking(false);
			channel.register(selector, SelectionKey.OP_CONNECT);
			channel.connect(new InetSocketAddress(url.getHost(), url.getPort()));
			ByteBuffer answer = ByteBuffer.allocate(65536);
			for (;;) {
				if (selector.select(ms) == 0)
					throw new IOException("time-out");
				SelectionKey key = selector.selectedKeys().iterator().next();
				selector.selectedKeys().clear();
				if (key.isConnectable() && channel.finishConnect()) {
					channel.write(ByteBuffer.wrap("GET / HTTP/1.0\r\n\r\n".getBytes()));
					key.interestOps(SelectionKey.OP_READ);
				} else if (channel.read(answer) < 0) {
					return new String(answer.array(), 0, answer.position()).split("\r\n\r\n", 2)[1];
				}
			}
		}
	}

	public static void main(String[] words) {
		URI url = URI.create(words[1]);
		int ms = Integer.parseInt(words[2]) * 1000;
		boolean failed = false;
		for (int i = 0; i < 4; i++) {
			try {
				URI from = i == 0 ? URI.create(words[3]) : url;
				int limit = i == 0 ? 30000 : ms;
				System.out.print(words[0].equals("connection") ? byConnection(from, limit) :
					words[0].equals("client") ? byClient(from, limit) :
					words[0].equals("socket") ? bySocket(from, limit) : byChannel(from, limit));
			} catch (Exception error) {
				System.out.println(error.getClass().getSimpleName());
				failed = true;
			}
		}
		System.exit(failed ? 1 : 0);
	}
}
