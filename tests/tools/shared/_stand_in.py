"""A small HTTP server that replaces the service: it returns what a test defines and keeps the requests."""

import http.server
import json
import threading
from urllib.parse import parse_qs, urlsplit


def problem(status, code, detail, **headers):
    body = {"type": f"/problems/{code}", "title": "Title", "status": status, "detail": detail}
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class Answer:
    """`body`: a document, or bytes of any type; None closes the connection without a word."""

    def __init__(self, status, body, headers=None):
        self.status, self.body, self.headers = status, body, headers or {}


class Asked:
    def __init__(self, method, target, headers, body):
        self.method, self.target = method, target
        self.path = urlsplit(target).path
        self.query = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.text = body
        self.body = json.loads(body) if body else None

    def __repr__(self):
        return f"{self.method} {self.target}"


class StandIn:
    """`answers`: "METHOD /path" -> an Answer, a document (200), a list of those (one a call, the last one stays), or a
    function of Asked that gives one."""

    def __init__(self, answers, tls=None):
        self.answers = answers
        self.asked = []
        self.counts = {}
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.handle(self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "https" if tls else "http"
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer_to(self, asked):
        found = self.answers.get(f"{asked.method} {asked.path}")
        if isinstance(found, list):
            with self.lock:
                number = self.counts.get(asked.path, 0)
                self.counts[asked.path] = number + 1
            found = found[min(number, len(found) - 1)]
        if callable(found):
            found = found(asked)
        if found is None:
            return problem(404, "unknown_path", f"{asked.path} is not known.")
        return found if isinstance(found, Answer) else Answer(200, found)

    def handle(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        asked = Asked(request.command, request.path, request.headers, request.rfile.read(length).decode())
        with self.lock:
            self.asked.append(asked)
        answer = self.answer_to(asked)
        if answer.body is None:
            request.close_connection = True
            return
        raw = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        request.send_response(answer.status)
        request.send_header("Content-Type", "application/problem+json" if answer.status >= 400 else "application/json")
        request.send_header("Content-Length", str(len(raw)))
        for name, value in answer.headers.items():
            request.send_header(name, str(value))
        try:
            request.end_headers()
            request.wfile.write(raw)
        except ConnectionError:
            pass  # whoever asked is gone

    def calls(self, method):
        return [asked for asked in self.asked if asked.method == method]
