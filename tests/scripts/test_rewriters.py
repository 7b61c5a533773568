#!/usr/bin/env python3
"""workers/python/rewriters.py: what a rewriter says when it cannot be set up, ends, or fails; what inputs it gets."""

import os
import signal
import socket
import struct
import sys
import tempfile
import unittest
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "workers", "python"))
import rewriters  # noqa: E402


def broken(options):
    raise ValueError(f"no such mode: {options['mode']}")


def ending(options):
    def rewrite(model):
        raise SystemExit("nothing more to do")
    return rewrite


def joining(options):
    return lambda model, inputs=b"-": model + inputs + options["mode"].encode()


class WhoseFault(unittest.TestCase):
    """An error of a rewriter is the library's, but for a mistake in a file of assay's own."""

    def answer(self, folder):
        space = {}
        exec(compile("def rewrite(model):\n    return {}['axis']\n", os.path.join(folder, "a.py"), "exec"), space)
        return rewriters.answer(space["rewrite"], b"model")

    def test_a_mistake_of_assays_own(self):
        self.assertEqual(self.answer(os.path.join(ROOT, "workers", "python")),
                         (rewriters.UNSUPPORTED, b"a mistake of assay's own worker: KeyError: 'axis'"))

    def test_a_mistake_of_the_library(self):
        self.assertEqual(self.answer("/library"), (rewriters.REJECTED, b"KeyError: 'axis'"))


class Order(unittest.TestCase):
    """A process that rewrites, forked as for a worker."""

    def start(self, configure):
        self.ours, theirs = socket.socketpair()
        self.ours.settimeout(60)
        self.control, orders = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.output = tempfile.TemporaryFile()
        self.folder = tempfile.TemporaryDirectory()
        text = os.fsencode(self.folder.name) + b"\0mode=fast\0"
        socket.send_fds(self.control, [text], [theirs.fileno(), self.output.fileno()])
        self.forks = rewriters.Forks()
        self.assertTrue(self.forks.add(orders, configure))
        theirs.close()
        orders.close()

    def tearDown(self):
        self.ours.close()
        for pid, connection in self.forks.connections.items():
            connection.close()
            os.kill(pid, signal.SIGKILL)  # it has our end as well, and would wait for it
            os.waitpid(pid, 0)
        self.control.close()
        self.output.close()
        self.folder.cleanup()

    def send(self, what, body):
        self.ours.sendall(rewriters.HEADER.pack(what, len(body)) + body)

    def receive(self):
        what, size = rewriters.HEADER.unpack(rewriters.receive(self.ours, rewriters.HEADER.size))
        return what, rewriters.receive(self.ours, size)

    def test_cannot_be_set_up(self):
        self.start(broken)
        for _ in range(2):
            self.send(rewriters.MODEL, b"model")
            self.assertEqual(self.receive(), (rewriters.REJECTED, b"ValueError: no such mode: fast"))

    def test_ends(self):
        self.start(ending)
        self.send(rewriters.MODEL, b"model")
        pid = next(iter(self.forks.connections))
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        self.forks.reap()
        what, status = self.receive()
        self.assertEqual((what, os.waitstatus_to_exitcode(struct.unpack("=i", status)[0])), (rewriters.DIED, 1))
        self.output.seek(0)
        self.assertIn(b"SystemExit: nothing more to do", self.output.read())

    def test_leads_a_session(self):
        self.start(joining)
        self.send(rewriters.MODEL, b"model")
        self.receive()
        pid = next(iter(self.forks.connections))
        self.assertEqual(os.getsid(pid), pid)
        self.assertNotEqual(os.getsid(0), pid)

    def test_says_the_same_each_time(self):
        def refusing(options):
            def rewrite(model):
                with tempfile.TemporaryDirectory() as folder:
                    raise ValueError(f"cannot load {folder}/augmented.onnx: {uuid.uuid4()} of {object()} is missing")
            return rewrite

        self.start(refusing)
        self.send(rewriters.MODEL, b"model")
        kind, body = self.receive()
        self.assertEqual(kind, rewriters.REJECTED)
        self.assertEqual(body.decode(),
                         "ValueError: cannot load augmented.onnx: (random name) of <object object> is missing")

    def test_inputs_are_those_of_the_next_model(self):
        self.start(joining)
        self.send(rewriters.INPUTS, b"inputs")
        self.send(rewriters.MODEL, b"one")
        self.assertEqual(self.receive(), (rewriters.MODEL, b"oneinputsfast"))
        self.send(rewriters.MODEL, b"two")
        self.assertEqual(self.receive(), (rewriters.MODEL, b"two-fast"))


if __name__ == "__main__":
    unittest.main()
