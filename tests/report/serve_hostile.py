#!/usr/bin/env python3
"""`assay serve` under hostile requests: serve_hostile.py ASSAY REPORT_STORE DEPS

A thousand requests that nobody sends in good faith: broken, huge, slow, for other files, under other names, with wrong
tokens.  None may be answered with a page.  Afterwards the server answers as before, has no more descriptors open than
at the start, has written nothing to its store, and ends well when it is told to (under AddressSanitizer: without a
leak).

The server gives a connection ten seconds for its request.  On a machine that gives this test no processor for so long
it rightly hangs up on good requests, too: these are asked again, up to PATIENCE, which only a server that hangs uses.
"""

import hashlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

REQUESTS = 1000
AT_ONCE = 8
PATIENCE = 600  # seconds: after so many the server hangs; the test as a whole has 1800
PATHS = [b"/../../../../etc/passwd", b"/..%2f..%2fetc%2fpasswd", b"/%2e%2e/%2e%2e/etc/passwd", b"/finding/../report",
         b"/finding/-1", b"/finding/0", b"/finding/999999999999999999999999999", b"/finding/1;ls", b"/finding/1%00",
         b"/finding/%31", b"/report/../report", b"//report", b"/.git/config", b"/api/finding/1'--", b"/api/curves/1e3",
         b"\\..\\..\\windows", b"/\xff\xfe\xfd", b"/" + 3000 * b"a", b"/" + 1000 * b"../", b"*", b"http://evil/", b""]
HOSTS = [b"evil.example", b"localhost.evil.example", b"", b"a" * 4000, b"[::1", b"localhost:99999999999", b"127.0.0.1"]
METHODS = [b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"TRACE", b"CONNECT", b"PROPFIND", b"get",
           b"G\x00T", b"A" * 500]


class Trouble(Exception):
    pass


def start(assay, store, *options):
    """The process, its port and the token in the address that it prints.  A store, or the folder of a campaign."""
    what = [store] if os.path.isdir(store) else ["--db", store]
    process = subprocess.Popen([assay, "serve", *what, "--port", "0", *options], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    found = re.search(r"http://[^/]*:(\d+)/(?:\?token=(\w+))?", line)
    if not found:
        process.kill()
        raise Trouble(f"it printed {line!r}")
    return process, int(found.group(1)), found.group(2)


def send(port, data, way=None):
    """What comes back, up to the end of the connection; "slow" sends it byte by byte, "leave" waits for nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as s:
        try:
            for piece in ([bytes([c]) for c in data] if way == "slow" else [data]):
                s.sendall(piece)
            if way == "leave":
                return b""
            s.shutdown(socket.SHUT_WR)
            got = b""
            while True:
                more = s.recv(65536)
                if not more:
                    return got
                got += more
        except TimeoutError:
            raise
        except OSError:  # refused in the middle of it
            return b""


def get(port, path="/", host=None, extra=""):
    """The answer to a good request."""
    data = f"GET {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n{extra}\r\n".encode()
    end = time.monotonic() + PATIENCE
    answer = b""
    while not answer and time.monotonic() < end:
        try:
            answer = send(port, data)
        except OSError:  # it hung up before it was asked
            pass
        time.sleep(0 if answer else 0.1)
    return answer


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


def hostile(rng, port):
    """One request that must not get a page: (data, how it is sent)."""
    good = b"127.0.0.1:%d" % port
    kind = rng.randrange(10)
    if kind == 0:
        return b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (rng.choice(PATHS), good), None
    if kind == 1:
        return b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % rng.choice(HOSTS), None
    if kind == 2:
        return b"%s / HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\n\r\nhello" % (rng.choice(METHODS), good), None
    if kind == 3:  # no request at all
        return rng.randbytes(rng.randrange(1, 3000)), None
    if kind == 4:  # headers without an end
        return b"GET / HTTP/1.1\r\nHost: %s\r\n" % good + b"X-A: b\r\n" * rng.randrange(3000, 9000), None
    if kind == 5:  # two names
        return b"GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\n\r\n" % good, None
    if kind == 6:
        return b"GET / HTTP/%d.%d\r\n\r\n" % (rng.randrange(10), rng.randrange(10)), None
    if kind == 7:  # a body that never comes, and lengths that contradict each other
        return (b"POST /api/status HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"ffffffffffffffff\r\n" % (good, rng.randrange(1 << 60))), None
    if kind == 8:
        return b"GET /finding/%d HTTP/1.1\r\nHost: %s\r\n\r\n" % (rng.randrange(10**6, 10**9), good), "slow"
    cookie = rng.randbytes(200).hex().encode()
    return b"GET / HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n" % (good, cookie), "leave"  # no end


def attack(port, numbers, answered):
    for number in numbers:
        data, way = hostile(random.Random(number), port)
        try:
            code = status(send(port, data, way))
        except OSError as e:
            answered["trouble"] = f"{data[:200]!r}: {e}"
            return
        answered[code] = answered.get(code, 0) + 1
        if code == 200:
            answered["page"] = data[:200]


def attack_all(port):
    """Counts of statuses; 0 stands for a connection that was closed without an answer."""
    answered = [{} for _ in range(AT_ONCE)]
    crew = [threading.Thread(target=attack, args=(port, range(i, REQUESTS, AT_ONCE), answered[i]))
            for i in range(AT_ONCE)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    total = {}
    for part in answered:
        if "trouble" in part:
            raise Trouble(f"a hostile request had no end: {part['trouble']}")
        if "page" in part:
            raise Trouble(f"a hostile request got a page: {part['page']!r}")
        for code, n in part.items():
            total[code] = total.get(code, 0) + n
    return total


def hold(port, n):
    """Connections that send a byte now and then; others must be served beside them."""
    held = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(n)]
    send_all(held, b"GET /report HTTP/1.1\r\nHost: 127.0")
    return held


def send_all(held, data):
    for s in held:
        try:
            s.sendall(data)
        except OSError:  # thrown out already
            pass


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def settled(process, most):
    """Closed connections are gone soon."""
    end = time.monotonic() + PATIENCE
    while descriptors(process) > most and time.monotonic() < end:
        time.sleep(0.1)
    return descriptors(process) <= most


def finish(process):
    process.send_signal(signal.SIGTERM)
    code = process.wait(timeout=PATIENCE)
    if code:
        raise Trouble(f"it ended with status {code}")


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def expect(what, got, wanted):
    if got != wanted:
        raise Trouble(f"{what}: got {got!r}, expected {wanted!r}")


def check_headers(answer):
    head = answer.split(b"\r\n\r\n")[0].decode()
    for header in ("X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Cache-Control: no-store",
                   "frame-ancestors 'none'", "default-src 'none'", "Referrer-Policy: no-referrer"):
        if header not in head:
            raise Trouble(f"no '{header}' in an answer:\n{head}")


def survive(assay, store):
    process, port, _ = start(assay, store)
    try:
        for path in ("/", "/report", "/finding/1", "/api/status", "/api/findings", "/api/finding/1"):
            answer = get(port, path)
            expect(path, status(answer), 200)
            check_headers(answer)
        check_headers(get(port, "/nowhere"))
        before, first = descriptors(process), get(port, "/api/findings").split(b"\r\n\r\n")[1]
        counts = attack_all(port)
        expect("requests", sum(counts.values()), REQUESTS)
        held = hold(port, 30)
        expect("a page beside slow ones", status(get(port, "/report")), 200)
        for s in held:
            s.close()
        if not settled(process, before):
            raise Trouble(f"{descriptors(process)} descriptors are open, {before} were at the start")
        expect("what it knows", get(port, "/api/findings").split(b"\r\n\r\n")[1], first)
        finish(process)
    finally:
        process.kill()
    print("ok: survived", REQUESTS, "hostile requests:", dict(sorted(counts.items())))


def keep_sending(held, stop):
    """A byte on each connection now and then, so that none of them is idle."""
    while not stop.wait(0.2):
        send_all(held, b".")


def late_ones(assay, store):
    """Who holds all connections is thrown out in the end."""
    process, port, _ = start(assay, store)
    stop = threading.Event()
    try:
        held = hold(port, 70)
        sender = threading.Thread(target=keep_sending, args=(held[:64], stop))
        sender.start()
        expect("an answer after all connections were held", status(get(port, "/api/status")), 200)
        stop.set()
        sender.join()
        for s in held:
            s.close()
        finish(process)
    finally:
        stop.set()
        process.kill()
    print("ok: slow connections are ended")


def tokens(assay, store):
    process, port, token = start(assay, store, "--listen", "0.0.0.0", "--host", "build.example")
    try:
        expect("a token of its own", bool(token and len(token) >= 32), True)
        expect("no token", status(get(port)), 401)
        expect("a wrong one", status(get(port, f"/?token={token[:-1]}x")), 401)
        answer = get(port, f"/?token={token}")
        expect("the token in the address", status(answer), 303)
        cookie = re.search(rb"Set-Cookie: ([^;]+); Path=/; HttpOnly; SameSite=Strict", answer).group(1).decode()
        expect("the cookie", status(get(port, "/report", extra=f"Cookie: {cookie}\r\n")), 200)
        expect("a program", status(get(port, "/api/status", extra=f"Authorization: Bearer {token}\r\n")), 200)
        expect("a name of ours", status(get(port, "/", f"build.example:{port}", f"Cookie: {cookie}\r\n")), 200)
        expect("another name", status(get(port, "/", f"evil.example:{port}", f"Cookie: {cookie}\r\n")), 421)
        finish(process)
    finally:
        process.kill()
    print("ok: tokens and names")


def main():
    assay, report_store, _ = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "plain.db")
        subprocess.run([report_store, store, "plain"], check=True)
        before = digest(store)
        for test in (survive, late_ones, tokens):
            try:
                test(assay, store)
            except Trouble as e:
                print(f"FAILED: {test.__name__}: {e}")
                return 1
        expect("the store's bytes", digest(store), before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
