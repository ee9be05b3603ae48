"""Attacks a running service, and checks each response and that other clients are still served."""

import http.client
import os
import resource
import socket
import ssl

from _serve import Service, make_certificate, status_from, trusting

MOST_MB = 200  # with a thousand connections and their buffers; the service alone takes some 20
GIGABYTE = 1 << 30
PART = b"x" * (1 << 20)


def check(is_true, what):
    if not is_true:
        raise AssertionError(what)


def same(found, wanted, what=""):
    check(found == wanted, f"{what}: {found!r} instead of {wanted!r}")


def still_serves(service):
    same(service.call("GET", "/api/v1/health")[0], 200, "health")
    same(service.call("GET", "/api/v1/gpus", role="read")[0], 200, "gpus")
    check(service.rss_mb() < MOST_MB, f"the service holds {service.rss_mb():.0f} MB")
    check(service.process.poll() is None, "the service ended")


def connections_allowed(wanted):
    """As many as the limits of this process and of its child let be, which may be fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = 512
    if hard != resource.RLIM_INFINITY and hard < wanted + room:
        wanted = hard - room
    if soft < wanted + room:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted + room, hard))
    return wanted


def many_connections(service, count):
    """Opens `count` connections, half of them with the beginning of a request, asks for the health in between, and keeps
    them open."""
    held = []
    for i in range(count):
        connection = service.raw()
        if i % 2:
            connection.sendall(b"GET /api/v1/gpus HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        held.append(connection)
        if i % (count // 10) == count // 20:
            still_serves(service)
    still_serves(service)
    for connection in held:
        connection.close()
    still_serves(service)


def send_until_refused(service, head, parts):
    """Sends a head and parts until the service has enough; the status."""
    with service.raw() as connection:
        connection.sendall(head)
        sent = 0
        try:
            for part in parts:
                connection.sendall(part)
                sent += len(part)
        except OSError:
            pass
        return status_from(connection), sent


def huge_bodies(service):
    for path in ("/api/v1/config/gpu/strategy", "/api/v1/gpus", "/", "/metrics", "/nothing"):
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {GIGABYTE}\r\n\r\n".encode()
        status, _ = send_until_refused(service, head, (PART for _ in range(1024)))
        check(status in (413, 0), f"{path} gave {status}")
        same(service.status_of(head), 413, path)
        check(service.rss_mb() < MOST_MB, f"the service holds {service.rss_mb():.0f} MB")
    head = b"POST /api/v1/config/gpu/strategy HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n%s\r\n" % (len(PART), PART)
    status, _ = send_until_refused(service, head, (chunk for _ in range(1024)))
    check(status in (413, 0), f"chunks gave {status}")
    same(service.status_of(head + chunk + chunk), 413, "chunks")
    extension = b"1;" + b"a" * 100_000 + b"\r\nx\r\n"
    same(service.status_of(head + extension * 20), 413, "chunk extensions")
    still_serves(service)


def many_bodies_at_once(service, count=400):
    """Bodies within the limit that never end: together they may not take what the host has."""
    size = (1 << 20) - 1
    held = []
    for _ in range(count):
        connection = service.raw()
        connection.setblocking(False)
        try:
            connection.send(f"POST /api/v1/gpus HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode())
        except BlockingIOError:
            pass
        held.append([connection, size - 1])
    for _ in range(40):
        for entry in held:
            try:
                entry[1] -= entry[0].send(PART[: min(entry[1], 65536)]) if entry[1] else 0
            except OSError:
                pass
        check(service.rss_mb() < MOST_MB, f"the service holds {service.rss_mb():.0f} MB")
    still_serves(service)
    for connection, _ in held:
        connection.close()


def wrong_keys(service):
    for authorization in ("", "Bearer", "Bearer ", "Bearer x", "Bearer sonde_00000000_" + "A" * 43, "Basic YTpi",
                          "bearer " + "x" * 5000, "Bearer " + service.keys["admin"][:-1],
                          "Bearer " + service.keys["admin"] + "A", "Bearer \u00ff"):  # fmt: skip
        headers = {"Authorization": authorization.encode("latin-1")} if authorization else {}
        for method, path in (("GET", "/api/v1/gpus"), ("POST", "/api/v1/config/reload"), ("GET", "/api/v1/events")):
            same(service.call(method, path, headers=headers)[0], 401, f"{path} with {authorization[:40]!r}")
    for role in ("read", "submit"):
        same(service.call("POST", "/api/v1/config/reload", role=role)[0], 403, role)
        same(service.call("POST", "/api/v1/config/gpu/strategy", {"strategy": "random"}, role)[0], 403, role)
    still_serves(service)


def broken_bodies(service):
    headers = {"Content-Type": "application/json"}
    for body in ("", "{", "[]", "null", "5", '"x"', "{}", '{"strategy": 5}', '{"strategy": null}', '{"strategy": "x"}',
                 '{"strategy": "random", "strategy": "random"}', '{"strategy": "random", "other": 1}', "\xff\xfe",
                 "[" * 100_000, '{"a":' * 100_000, '{"strategy": "\\ud800"}', '{"strategy": "a\\u0000b"}',
                 '{"persist": 1e999}', "NaN", '{"strategy": "random"} x'):  # fmt: skip
        status, answer = service.call("POST", "/api/v1/config/gpu/strategy", body.encode("latin-1"), "admin", headers)
        check(status in (400, 415, 422), f"{body[:40]!r} gave {status}")
        check(answer["title"] and answer["detail"] and answer["status"] == status, f"{body[:40]!r} gave {answer}")
    still_serves(service)


def path_tricks(service):
    for path in ("/../../etc/passwd", "/assets/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/%2e%2e%2fetc",
                 "/assets/..%5c..%5cetc", "/assets/\\..\\etc", "/api/v1/gpus/%00", "/api/v1/../v1/config", "/a%0d%0ab",
                 "/%c0%ae%c0%ae/etc/passwd", "/%", "/%zz", "/a?b=%00", "/a#b"):  # fmt: skip
        sent = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.keys['admin']}\r\n\r\n"
        same(service.status_of(sent.encode()), 400, path)
    for path in ("/etc/passwd", "//etc/passwd", "/assets/", "/assets//etc/passwd", "/api/v1/gpus/..;/config", "/.git",
                 "/api/v1/GPUS", "/api/v2/gpus", "/api/v1/gpus/gpu_99"):  # fmt: skip
        check(service.call("GET", path, role="read")[0] == 404, path)
    still_serves(service)


def smuggling(service):
    inner = b"GET /api/v1/config HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST /api/v1/gpus HTTP/1.1\r\nHost: x\r\n"
    for fields in (b"Content-Length: 4\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 4",
                   b"Content-Length: 4\r\nContent-Length: 5", b"Transfer-Encoding: xchunked",
                   b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding:\x0bchunked", b"Content-Length: 4 4",
                   b"Content-Length: 0x4", b"Transfer-Encoding : chunked", b"Content-Length: 4\r\n Transfer-Encoding: x",
                   b"Host: y"):  # fmt: skip
        with service.raw() as connection:
            connection.sendall(post + fields + b"\r\n\r\n0\r\n\r\n" + inner)
            text = b""
            try:
                while part := connection.recv(4096):
                    text += part
            except ConnectionError:
                pass
        same(text[:12], b"HTTP/1.1 400", fields)
        same(text.count(b"HTTP/1.1 "), 1, f"answers to {fields}")
    still_serves(service)


def no_http(service):
    for sent in (b"\x16\x03\x01\x02\x00\x01\x00", b"\x00" * 100, b"GET\r\n\r\n", b"SSH-2.0-x\r\n\r\n", os.urandom(4096) + b"\r\n\r\n",
                 b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"):  # fmt: skip
        check(service.status_of(sent) in (400, 404, 405, 408, 431, 505), f"{sent[:20]!r}")
    same(service.status_of(b"GET /" + b"a" * 100_000), 414, "long path")
    same(service.status_of(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 100_000), 431, "long field")
    many = b"".join(b"X%d: y\r\n" % i for i in range(10_000))
    same(service.status_of(b"GET / HTTP/1.1\r\nHost: x\r\n" + many), 431, "many fields")
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
        check(service.call(method, "/api/v1/gpus", role="read")[0] in (405, 501, 400, 204), method)
    still_serves(service)


def slow_clients(service):
    """Of a service with short limits: each of them is ended, and none holds up another."""
    kinds = (b"", b"G", b"GET / HTTP/1.1\r\nHost", b"POST /api/v1/gpus HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab",
             b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")  # fmt: skip
    held = [(kind, service.raw()) for kind in kinds for _ in range(20)]
    for kind, connection in held:
        connection.sendall(kind)
    still_serves(service)
    for kind, connection in held:
        same(status_from(connection), 408 if kind else 0, kind)
        connection.close()
    half = service.raw()
    half.sendall(b"GET /api/v1/gpus HTTP/1.1\r\nHost: x\r\n")
    half.shutdown(socket.SHUT_WR)
    check(status_from(half) in (0, 400, 408), "half a request")
    still_serves(service)


def readers_that_do_not_read(service):
    """Requests are sent ahead, and no answer is read."""
    held = []
    for _ in range(20):
        connection = service.raw()
        connection.setblocking(False)
        try:
            for _ in range(2000):
                connection.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        except BlockingIOError:
            pass
        held.append(connection)
    still_serves(service)
    for connection in held:
        connection.close()


def histories_that_nobody_reads(service):
    """Long answers, to a key that may read: together they may not take what the host has."""
    request = ("GET /api/v1/gpus/0/history?from=-5200w&resolution=1 HTTP/1.1\r\nHost: x\r\n"
               f"Authorization: Bearer {service.keys['read']}\r\n\r\n")  # fmt: skip
    held = []
    for _ in range(300):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", service.port))
        connection.sendall(request.encode())
        held.append(connection)
    for connection in held:
        check(status_from(connection) in (200, 503), "an answer is neither 200 nor 503")
        check(service.rss_mb() < MOST_MB, f"the service holds {service.rss_mb():.0f} MB")
    still_serves(service)
    for connection in held:
        connection.close()


def tls_garbage(folder):
    make_certificate(folder)
    with Service(f"tls:\n  certificate: {folder}/certificate.pem\n  key: {folder}/key.pem\nrequest_timeout: 1") as service:
        service.tls = trusting(folder / "certificate.pem")
        held = []
        for sent in (b"", b"\x16", b"\x16\x03\x01", b"\x16\x03\x01\x02\x00" + os.urandom(512), b"\x16" + b"\xff" * 20000,
                     os.urandom(300)):  # fmt: skip
            for _ in range(20):
                held.append(service.raw())
                try:
                    held[-1].sendall(sent)
                except OSError:
                    pass
        old = ssl.create_default_context()
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version, old.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, ssl.TLSVersion.TLSv1_1
        try:
            http.client.HTTPSConnection("127.0.0.1", service.port, context=old, timeout=60).request("GET", "/")
            raise AssertionError("TLS 1.1 is spoken")
        except (ssl.SSLError, OSError):
            pass
        still_serves(service)
        for connection in held:  # the time of a request ends a handshake that does not come to its end, too
            status_from(connection)
            connection.close()
        still_serves(service)
