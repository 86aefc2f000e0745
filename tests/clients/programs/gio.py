"""gio.py socket|soup URL SECONDS"""
import sys, urllib.parse
import gi
gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib
kind, text, seconds = sys.argv[1:]
url = urllib.parse.urlsplit(text)
try:
    if kind == "socket":
        client = Gio.SocketClient(timeout=int(seconds))
        connection = client.connect_to_host(url.hostname, url.port, None)
        connection.get_output_stream().write_all(b"GET / HTTP/1.0\r\n\r\n", None)
        answer = b""
        while part := connection.get_input_stream().read_bytes(4096, None).get_data():
            answer += part
        print(answer.split(b"\r\n\r\n")[1].decode(), end="")
        connection.close(None)
    else:
        gi.require_version("Soup", "3.0")
        from gi.repository import Soup
        session = Soup.Session(timeout=int(seconds))
        message = Soup.Message.new("GET", text)
        message.connect("accept-certificate", lambda *_: True)
        print(session.send_and_read(message, None).get_data().decode(), end="")
except GLib.Error as error:
    sys.exit(error.message)
