"""A small HTTP server for the demo. It behaves as the word in its mode file says, looked up anew for
every request: `works`, `mute` (takes the request and never answers) or `fails` (answers 503).

usage: /usr/bin/python3 scripts/demo_server.py PORT MODE_FILE
"""
import http.server
import sys
import time

MODE_FILE = sys.argv[2]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(MODE_FILE, encoding="ascii") as file:
            mode = file.read().strip()
        if mode == "mute":
            time.sleep(3600)
            return
        body = b"hello\n" if mode == "works" else b"out of order\n"
        self.send_response(200 if mode == "works" else 503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
