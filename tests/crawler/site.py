"""A small site on loopback that answers each path as it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def site(answers: "dict[str, tuple[int, bytes]]") -> Iterator[str]:
    """Its address; paths that are not named are not found.  The body of a redirect says where to."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            status, body = answers.get(self.path, (404, b""))
            self.send_response(status)
            if status in (301, 302):
                self.send_header("Location", body.decode())
            self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
