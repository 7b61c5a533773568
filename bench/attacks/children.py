"""Workers that start children of every kind, and every way for assay to end: none may be left."""

import itertools
import os
import signal
import sys
import time

# Run as a worker's command: makes a child of a kind, then becomes the worker.  Children wait for ever.
STARTER = r"""
import ctypes, os, signal, sys, time
kind, worker = sys.argv[1], sys.argv[2:]

def wait():
    while True:
        time.sleep(60)

def deaf():
    for s in range(1, 32):
        if s not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
            signal.signal(s, signal.SIG_IGN)

def fork(does):
    if not os.fork():
        does()
        os._exit(0)

def plain(): fork(wait)
def group(): fork(lambda: (os.setpgid(0, 0), wait()))
def session(): fork(lambda: (os.setsid(), wait()))
def orphan(): fork(lambda: fork(lambda: (os.setsid(), wait())))
def without_ears(): fork(lambda: (deaf(), os.setsid(), wait()))
def closed(): fork(lambda: (os.setsid(), os.closerange(0, 256), wait()))
def bare(): fork(lambda: (os.setsid(), os.chdir("/"), os.execve("/bin/sleep", [sys.argv[0], "600"], {})))
def many(): [orphan() for _ in range(20)]
def stopped(): fork(lambda: (os.setsid(), os.kill(os.getpid(), signal.SIGSTOP), wait()))
def undying():
    # two that start each other again
    def live():
        os.setsid()
        deaf()
        while True:
            if not os.fork():
                continue
            os.wait()
    fork(live)
def renamed(): fork(lambda: (ctypes.CDLL(None).prctl(15, b"kworker/0:1", 0, 0, 0), os.setsid(), wait()))

globals()[kind]()
os.execv(worker[0], worker)
"""
KINDS = ["plain", "group", "session", "orphan", "without_ears", "closed", "bare", "many", "stopped", "undying",
         "renamed"]
ENDS = [None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]


def attack(arena, cases):
    starter, model = arena.path("starter.py"), arena.path("model.onnx")
    worker = os.path.join(os.path.dirname(arena.assay), "tests", "fault_worker")
    with open(starter, "w") as f:
        f.write(STARTER)
    arena.run("a model", arena.assay, "zoo", "get", "lenet5", "-o", model)
    ways = list(itertools.product(KINDS, ENDS))
    for i in range(cases):
        kind, end = ways[i % len(ways)]
        what = f"{kind}, {end.name if end else 'its own end'}"
        backend = f"exec:{sys.executable} {starter} {kind} {worker}"
        p = arena.start(arena.assay, "check", model, "-b", backend, "--no-store")
        if end:
            until = time.time() + 20
            while len(arena.survivors()) < 3 and p.poll() is None and time.time() < until:
                time.sleep(0.02)
            p.send_signal(end)
        p.communicate()
        arena.expect_none_left(what)
    return cases
