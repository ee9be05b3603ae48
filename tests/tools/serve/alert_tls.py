#!/usr/bin/env python3
"""Alerts go over https only to receivers whose certificate is trusted and names their host, also through a proxy."""

import contextlib
import http.server
import os
import shutil
import socket
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


class Proxy(http.server.BaseHTTPRequestHandler):
    """Connects to localhost, whatever host it is asked for."""

    asked = []

    def do_CONNECT(self):
        Proxy.asked.append(self.path)
        with socket.create_connection(("localhost", int(self.path.rsplit(":", 1)[1]))) as server:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=pass_on, args=(server, self.connection))
            back.start()
            pass_on(self.connection, server)
            back.join()

    def log_message(self, *arguments):
        pass


def pass_on(source, target):
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)


def serve_proxy():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


LEFT_OUT = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def post(url, **variables):
    environment = {name: value for name, value in os.environ.items() if name.upper() not in LEFT_OUT}
    result = subprocess.run([TOOL, url], check=True, capture_output=True, text=True, env=environment | variables)
    return result.stdout.strip()


def check(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def check_certificates(port, chain, folder):
    here = f"https://localhost:{port}/"
    check(post(here, SSL_CERT_FILE=chain), "200")
    check(post(here, CURL_CA_BUNDLE=chain, SSL_CERT_FILE="/nowhere"), "200")
    check(post(here), "self-signed certificate")
    check(post(f"https://127.0.0.1:{port}/", SSL_CERT_FILE=chain), "IP address mismatch")
    check(post(here, SSL_CERT_FILE="/nowhere"), "the certificates in /nowhere cannot be read")
    hashed = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", chain], check=True, capture_output=True, text=True)
    os.symlink(chain, os.path.join(folder, hashed.stdout.strip() + ".0"))
    check(post(here, SSL_CERT_DIR=folder), "200")


def check_proxy(port, chain):
    proxy = f"http://127.0.0.1:{serve_proxy()}"
    check(post(f"https://localhost:{port}/", SSL_CERT_FILE=chain, https_proxy=proxy), "200")
    check(post(f"https://other.invalid:{port}/", SSL_CERT_FILE=chain, HTTPS_PROXY=proxy), "hostname mismatch")
    check(Proxy.asked, [f"localhost:{port}", f"other.invalid:{port}"])
    check(post(f"https://localhost:{port}/", SSL_CERT_FILE=chain, all_proxy=proxy, no_proxy="localhost"), "200")
    check(len(Proxy.asked), 2)
    check(post(f"https://localhost:{port}/", https_proxy="http://127.0.0.1:1"), "proxy: Connection refused")


def main():
    if not shutil.which("openssl"):
        print("skipped: there is no openssl to make a certificate")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        key, chain = certificate(folder)
        port = serve(key, chain)
        check_certificates(port, chain, folder)
        check_proxy(port, chain)
    print("trusted: sent, also through a proxy; unknown authority and another host's name: refused")


main()
