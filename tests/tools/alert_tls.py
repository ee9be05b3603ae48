#!/usr/bin/env python3
"""Alerts go over https to receivers only whose certificate is known and theirs."""

import http.server
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

TOOL = os.path.join(os.environ["TEST_TOOLS"], "post_alert")


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def certificate(folder):
    key, chain = os.path.join(folder, "key.pem"), os.path.join(folder, "chain.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", chain, "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True,
        capture_output=True,
    )
    return key, chain


def serve(key, chain):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def post(url, authorities):
    left_out = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    if authorities:
        environment["SSL_CERT_FILE"] = authorities
    return subprocess.run([TOOL, url], check=True, capture_output=True, text=True, env=environment).stdout.strip()


def main():
    if not shutil.which("openssl"):
        print("skipped: there is no openssl to make a certificate")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        key, chain = certificate(folder)
        port = serve(key, chain)
        refused = "SSL peer certificate or SSH remote key was not OK"
        got = [
            post(f"https://localhost:{port}/", chain),
            post(f"https://localhost:{port}/", None),
            post(f"https://127.0.0.1:{port}/", chain),
        ]
        assert got == ["200", refused, refused], got
    print("known: taken; unknown authority and another host's name: refused")


main()
