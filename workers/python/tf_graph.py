"""A model as a graph of TensorFlow's, in a file: assay's own worker of TensorFlow builds it and writes it down.

That is a process of its own, started here and spoken to as assay does (docs/protocol.md): no process holds two
libraries.  TensorFlow is the newest version of the backend tf.
"""

import ast
import glob
import os
import socket
import struct

from assay_worker import OK, PROTOCOL, SHARED_MEMORY, SOCKET, Shared, Worker, read_exactly
from wire import Writer, fields, text
from worker_types import Unsupported

PROGRAM = "ASSAY_WORKER_PROGRAM"  # assay says where it is
HELLO, LOAD, RUN, UNLOAD = 3, 4, 5, 9  # fields of a request
LOAD_REPLY = 6
OPTIONS = {"mode": "graph", "optimize": "0", "threads": "1"}


def library_folder(folder):
    """Where TensorFlow lies, the newest version: beside another backend, or in another root of libraries."""
    roots = [os.path.dirname(os.path.dirname(os.path.abspath(folder))), os.environ.get("ASSAY_BACKENDS"),
             os.path.join(os.environ["ASSAY_DEPS"], "backends") if os.environ.get("ASSAY_DEPS") else None]
    found = [path for root in filter(None, roots) for path in glob.glob(os.path.join(root, "tf", "[0-9]*"))]
    if not found:
        raise RuntimeError("it needs TensorFlow: 'assay backends install tf'")
    return max(found, key=lambda path: [int(n) if n.isdigit() else 0 for n in os.path.basename(path).split(".")])


class Graph:
    """A file, and where in it values go in and out: names of the model, and places such as v3:0."""

    def __init__(self, folder):
        self.path, self.feeds, self.fetches = os.path.join(folder, "graph.pb"), {}, {}
        with open(os.path.join(folder, "calls.py"), encoding="utf-8") as f:
            for line in f:
                call = ast.parse(line.strip(), mode="eval").body
                name, place = (ast.literal_eval(argument) for argument in call.args)
                (self.feeds if call.func.id == "feed" else self.fetches)[name] = place


class Gone(Unsupported):
    """The process is no more: another one must be started."""


class TensorFlow(Worker):
    """The worker, from the other side: what it writes requests with is what it reads answers with."""

    def __init__(self, folder, record):
        program = os.environ.get(PROGRAM)
        if not program:
            raise RuntimeError("the program that runs TensorFlow is not there")
        self.record = record
        memory = os.memfd_create("graph")
        os.ftruncate(memory, 1 << 20)
        self.shared, self.requests = Shared(memory), 0
        self.socket, theirs = socket.socketpair()
        os.posix_spawn(program, [program, "tf"], os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, theirs.fileno(), SOCKET), (os.POSIX_SPAWN_DUP2, memory, SHARED_MEMORY),
            (os.POSIX_SPAWN_CLOSE, SHARED_MEMORY + 1)])
        theirs.close()
        hello = Writer()
        hello.number(1, PROTOCOL)
        hello.block(2, library_folder(folder))
        for name, value in {**OPTIONS, "record": record}.items():
            option = Writer()
            option.block(1, name)
            option.block(2, value)
            hello.message(3, option)
        self.ask(HELLO, hello)

    def ask(self, field, body):
        """The fields of an answer; what was refused is raised as it was told."""
        self.requests += 1
        request = Writer()
        request.number(1, self.requests)
        request.number(2, self.shared.size)
        request.message(field, body)
        data = request.getvalue()
        try:
            self.socket.sendall(struct.pack("<I", len(data)) + data)
            answer = dict(fields(memoryview(self.read())))
        except ConnectionError:
            raise Gone("TensorFlow ended") from None
        self.shared.refresh(answer.get(4, 0))
        if answer.get(2, OK) != OK:  # no graph can be made, which is no other library's fault
            raise Unsupported("TensorFlow: " + text(answer.get(3, b"")))
        return answer

    def read(self):
        head = read_exactly(self.socket, 4)
        message = read_exactly(self.socket, struct.unpack("<I", head)[0]) if head else None
        if message is None:
            raise Gone("TensorFlow ended")
        return message

    def write(self, model, outputs, inputs, names):
        """The graph of a model (bytes of an ONNX file) for inputs of these shapes."""
        self.shared.used = 0
        load, run, unload = Writer(), Writer(), Writer()
        load.block(1, model)
        for name in outputs:
            load.block(5, name)
        session = dict(fields(self.ask(LOAD, load)[LOAD_REPLY])).get(1, 0)
        run.number(1, session)
        for name, value in inputs.items():
            run.message(2, self.put_value(value, name))
        for name in names:
            run.block(3, name)
        unload.number(1, session)
        try:
            self.ask(RUN, run)
        finally:
            self.ask(UNLOAD, unload)
        return Graph(self.record)
