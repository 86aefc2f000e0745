/* libuv HOST PORT SECONDS: the page, with its header. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static uv_tcp_t tcp;
static uv_timer_t timer;
static int failed;

static void finish(int status)
{
	if (uv_is_closing((uv_handle_t *)&tcp))
		return;
	if (status) {
		failed = 1;
		puts(status == UV_ETIMEDOUT ? "time-out" : uv_err_name(status));
	}
	uv_close((uv_handle_t *)&tcp, NULL);
	uv_close((uv_handle_t *)&timer, NULL);
}

static void room(uv_handle_t *handle, size_t size, uv_buf_t *ret_room)
{
	static char text[4096];

	(void)handle, (void)size;
	*ret_room = uv_buf_init(text, sizeof(text));
}

static void got(uv_stream_t *stream, ssize_t length, const uv_buf_t *text)
{
	(void)stream;
	if (length < 0)
		finish(length == UV_EOF ? 0 : (int)length);
	else
		fwrite(text->base, 1, (size_t)length, stdout);
}

static void connected(uv_connect_t *request, int status)
{
	static uv_write_t writing;
	static char text[] = "GET / HTTP/1.0\r\n\r\n";
	uv_buf_t all = uv_buf_init(text, sizeof(text) - 1);

	if (status) {
		finish(status);
		return;
	}
	uv_read_start(request->handle, room, got);
	uv_write(&writing, request->handle, &all, 1, NULL);
}

static void late(uv_timer_t *unused)
{
	(void)unused;
	finish(UV_ETIMEDOUT);
}

int main(int argc, char **argv)
{
	struct sockaddr_in to;
	uv_connect_t connecting;

	if (argc != 4)
		return 2;
	uv_ip4_addr(argv[1], atoi(argv[2]), &to);
	uv_tcp_init(uv_default_loop(), &tcp);
	uv_timer_init(uv_default_loop(), &timer);
	uv_timer_start(&timer, late, (uint64_t)atoi(argv[3]) * 1000, 0);
	int status = uv_tcp_connect(&connecting, &tcp, (struct sockaddr *)&to, connected);
	if (status)
		finish(status);
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	return failed;
}
