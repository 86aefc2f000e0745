/* libevent HOST PORT SECONDS: the page. */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>

static int failed = 1;

static void done(struct evhttp_request *request, void *base)
{
	char text[4096];
	int length;

	if (request && evhttp_request_get_response_code(request) == 200) {
		failed = 0;
		while ((length = evbuffer_remove(evhttp_request_get_input_buffer(request), text,
						 sizeof(text))) > 0)
			fwrite(text, 1, (size_t)length, stdout);
	}
	event_base_loopbreak(base);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;

	struct event_base *base = event_base_new();
	struct evhttp_connection *connection =
		evhttp_connection_base_new(base, NULL, argv[1], (unsigned short)atoi(argv[2]));
	struct evhttp_request *request = evhttp_request_new(done, base);

	evhttp_connection_set_timeout(connection, atoi(argv[3]));
	evhttp_add_header(evhttp_request_get_output_headers(request), "Host", "x");
	evhttp_add_header(evhttp_request_get_output_headers(request), "Connection", "close");
	evhttp_make_request(connection, request, EVHTTP_REQ_GET, "/");
	event_base_dispatch(base);
	evhttp_connection_free(connection);
	event_base_free(base);
	return failed;
}
