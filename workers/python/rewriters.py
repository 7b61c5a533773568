#!/usr/bin/env python3
"""The process in which a rewriter runs, for src/backends/rewrite: rewriters.py DESCRIPTOR NAME

The module rewrite_NAME has start(), which imports the library and gives its version and a function from options to
another one, from the bytes of a model to those of the model that is written.  This process calls it and stays as it is;
for each order on the descriptor, a socket with the folder to work in and options, it forks one that rewrites with these
for whoever has the socket's other end.  How that one dies is told there.

A message is a header of two numbers of 32 bits, what it is and how many bytes follow, and those bytes.  A rewriter that
looks at inputs gets them, as the bytes of an .npz, before each model, and has a function of both.
"""

import fcntl
import importlib
import os
import re
import select
import signal
import socket
import struct
import sys
import tempfile
import traceback

import lines
from assay_worker import is_slip
from worker import unfit
from worker_types import Rejected, Unsupported

# rewriter.c has the same
MODEL, UNSUPPORTED, REJECTED, MEMORY, DIED = range(5)
INPUTS = 1  # the other way
HEADER = struct.Struct("=II")
OWN = os.path.dirname(os.path.abspath(__file__))
MAX_ORDER = 128 << 10
MAX_SAID = 2000
RANDOM_NAME = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
# Rewriters have no exception for what they do not have; they say so.
NOT_THERE = re.compile(r"not (yet |currently )?(supported|implemented)|unsupported|NotImplemented|does not support"
                       r"|No Op registered|No schema registered|No Adapter|is not a registered function/op"
                       r"|Could not find an implementation|support for this is limited|Failed to construct locale"
                       r"|Unknown tensor data type",
                       re.IGNORECASE)


def receive(connection, n):
    """n bytes; None at the end of the other side."""
    parts = []
    while n:
        part = connection.recv(min(n, 1 << 20))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def say(error):
    words = " ".join(f"{type(error).__name__}: {error}".split())
    # Addresses, random names and folders of this process are others each time.
    words = RANDOM_NAME.sub("(random name)", re.sub(r" at 0x[0-9a-f]+", "", words))
    words = re.sub(re.escape(tempfile.gettempdir()) + r"/(?:[^/\s]+/)*", "", words)
    return words[:MAX_SAID]


def answer(rewrite, *given):
    """What is to be sent for a model, and inputs where they came: kind and bytes."""
    try:
        return MODEL, rewrite(*given)
    except Unsupported as e:
        return UNSUPPORTED, str(e).encode()
    except Rejected as e:
        return REJECTED, str(e).encode()
    except MemoryError as e:
        return MEMORY, say(e).encode()
    except Exception as e:  # whatever the library raises
        said = say(e)
        if is_slip(e, OWN):
            return UNSUPPORTED, b"a mistake of assay's own worker: " + said.encode(errors="replace")
        return UNSUPPORTED if NOT_THERE.search(said) else REJECTED, said.encode(errors="replace")


def watch(connection, on):
    """While a model is rewritten nothing comes from the other side but its end: SIGIO then ends this process, too."""
    flags = fcntl.fcntl(connection, fcntl.F_GETFL)
    fcntl.fcntl(connection, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)


def serve(connection, rewrite):
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    inputs = ()
    while True:
        header = receive(connection, HEADER.size)
        what, size = HEADER.unpack(header) if header else (None, 0)
        came = receive(connection, size) if header else None
        if came is None:
            return
        if what == INPUTS:
            inputs = (came,)
            continue
        watch(connection, True)
        kind, body = answer(rewrite, came, *inputs)
        inputs = ()
        sys.stdout.flush()
        sys.stderr.flush()
        watch(connection, False)
        connection.sendall(HEADER.pack(kind, len(body)) + body)


def refuse(error):
    """In the place of a rewriter that could not be set up: why, for each model."""
    def rewrite(*given):
        raise error
    return rewrite


def watched(configure, packages):
    """What configures a rewriter, so that lines of its packages are told where options want that."""
    def set_up_watched(options):
        rewrite, watching = configure(options), lines.watching(options, packages)

        def run_watched(*given):
            with watching:
                return rewrite(*given)
        return run_watched
    return set_up_watched


def set_up(configure, options):
    try:
        return configure(options)
    except Exception as e:  # whatever the library raises
        return refuse(e)


def become_rewriter(fds, folder, options, configure):
    """A session of its own: what is left of it is killed with its worker, and the process that forks is not."""
    connection, output = socket.socket(fileno=fds[0]), fds[1]
    status = 1
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.chdir(folder)
        os.environ["HOME"] = os.environ["TMPDIR"] = folder
        tempfile.tempdir = None
        serve(connection, set_up(configure, options))
        status = 0
    except BaseException:  # SystemExit as well: what it says is all that is known of this end
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


class Forks:
    """Those that rewrite: the ends of their sockets are held here as well, to tell how they died."""

    def __init__(self):
        self.connections = {}  # by process

    def add(self, control, configure):
        """Takes an order; False when there will be no more."""
        order, fds, _, _ = socket.recv_fds(control, MAX_ORDER, 2)
        if not order or len(fds) != 2:
            return False
        folder, *words = os.fsdecode(order).split("\0")[:-1]
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            control.close()
            for other in self.connections.values():
                other.close()
            become_rewriter(fds, folder, dict(word.split("=", 1) for word in words), configure)
        self.connections[pid] = socket.socket(fileno=fds[0])
        os.close(fds[1])
        return True

    def reap(self):
        while self.connections:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            connection = self.connections.pop(pid, None)
            if not connection:
                continue
            try:
                connection.sendall(HEADER.pack(DIED, 4) + struct.pack("=i", status))
            except OSError:
                pass  # nobody is there any more
            connection.close()


def run(control, configure):
    forks, (woken, wake) = Forks(), os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        ready = select.select([control, woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            forks.reap()
        if control in ready and not forks.add(control, configure):
            return


def start(name):
    """Version and function, of the rewriter of that name."""
    for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        why = unfit(folder) if folder else None
        if why:
            raise RuntimeError(why)
    name = os.path.basename(name)
    module = importlib.import_module(f"rewrite_{name}")
    version, configure = module.start()
    return version, watched(configure, getattr(module, "PACKAGES", (name,)))


def main():
    control = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(control.fileno(), False)
    try:
        version, configure = start(sys.argv[2])
    except Exception as e:  # whatever the library's import raises
        control.send(b"%d" % REJECTED + say(e).encode())
        return 1
    control.send(b"%d" % MODEL + version.encode())
    run(control, configure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
