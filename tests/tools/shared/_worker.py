"""A worker that answers inference requests in KServe v2 form, for tests."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Worker:
    """Answers what `answers` says, one after the other, then an echo of the request; keeps what it was asked."""

    def __init__(self):
        worker = self
        self.asked, self.answers, self.held = [], [], threading.Event()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                worker.asked.append((self.path, json.loads(body)))
                status, answer = worker.answers.pop(0) if worker.answers else (200, None)
                if status == "hold":
                    worker.held.wait()
                    status = 503
                text = json.dumps(answer if answer is not None else {"outputs": json.loads(body)["inputs"]}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # whoever was cut off does not read its answer
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server.server_address[1]
