"""A worker of assay in Python: the protocol of docs/protocol.md, with the standard library, wire.py and worker_types.py
alone.

    from assay_worker import serve, Tensor, Unsupported, Rejected

    class Backend:
        library = "mylib"
        def open(self, folder, options): return "1.0"                    # the version
        def load(self, model, options, outputs): return session          # model: bytes of an ONNX file
        def outputs(self, session): return ["y"]                         # names of all outputs, in order
        def run(self, session, inputs, names): return [value, ...]       # inputs: dict of name -> value

    serve(Backend())

Optional methods: unload(session), close(), operators() -> names, backward(session, inputs, seeds, wanted) -> tensors,
invoke(operation, arguments, gradient) -> (values, gradients), list(prefix) -> Operations, and reopen(options): other
options in place of those of open(), before any model.  Optional attribute: packages, those whose lines the option
lines=FILE tells (default: the one that is called as the library).

A value is a Tensor, a list of values (a sequence), or an Optional.  Wherever a Tensor is to be returned, anything with
`dtype` and `shape` and the buffer interface will do, such as an array of numpy.  Raise Unsupported for what the library
or its binding does not have, Rejected when the library refuses a model or an input, MemoryError when it has no memory;
any other exception means that the call failed.  Standard output is free for use: the parent keeps it.  All these
classes can be imported from here.
"""

import mmap
import os
import socket
import struct
import sys
import traceback

import forking
import lines
from wire import Writer, fields, integers, signed, text
from worker_types import CODES, DTYPES, Operation, Optional, Parameter, Rejected, Sequence, Tensor, Unsupported

PROTOCOL = 1
SOCKET, SHARED_MEMORY = 3, 4  # descriptors that the parent passes
INLINE = 4096  # larger tensors go into shared memory
ALIGN = 64
MAX_MESSAGE = 256 << 20

OK, UNSUPPORTED, REJECTED, FAILED, OOM = range(5)


class Shared:
    """Shared memory: mapped again when it has grown."""

    def __init__(self, fd):
        self.fd, self.size, self.view = fd, 0, None
        self.used = 0  # behind the last byte of the request's tensors
        self.refresh(0)

    def refresh(self, claimed):
        if self.view is None or claimed > self.size:
            self.size = os.fstat(self.fd).st_size
            if claimed > self.size:
                raise ValueError("shared memory has %d bytes, not %d" % (self.size, claimed))
            self.view = memoryview(mmap.mmap(self.fd, self.size))

    def get(self, offset, size):
        if offset % ALIGN or offset > self.size or size > self.size - offset:
            raise ValueError("%d bytes at offset %d lie outside of shared memory" % (size, offset))
        self.used = max(self.used, offset + size)
        return self.view[offset : offset + size]

    def put(self, data):
        offset = (self.used + ALIGN - 1) // ALIGN * ALIGN
        end = offset + len(data)
        if end > self.size:
            os.ftruncate(self.fd, max(end, 2 * self.size))
            self.refresh(end)
        self.view[offset:end] = data
        self.used = end
        return offset


class Worker:
    def __init__(self, backend, own=None):
        self.backend = backend
        self.own = own
        self.shared = Shared(SHARED_MEMORY)
        self.sessions = {}
        self.next_session = 1
        self.orders = None  # to start again by fork; until the first model
        self.version = None  # of the library
        self.opened = self.done = False
        self.lines = lines.watching({}, ())

    # -- what comes in

    def get_tensor(self, data):
        name, code, dims, inline, offset, size, strings = "", 0, [], b"", None, 0, []
        for number, value in fields(data):
            if number == 1:
                name = text(value)
            elif number == 2:
                code = value
            elif number == 3:
                dims += integers(value)
            elif number == 4:
                inline, offset = value, None
            elif number == 5:
                offset = value
            elif number == 6:
                size = value
            elif number == 7:
                strings.append(bytes(value))
        if code not in DTYPES:
            raise ValueError("tensor '%s' is of unknown type %d" % (name, code))
        if DTYPES[code][0] == "string":
            return name, Tensor("string", dims, strings)
        return name, Tensor(DTYPES[code][0], dims, inline if offset is None else self.shared.get(offset, size))

    def get_value(self, data):
        kind, name, tensor, items, code = 0, "", None, [], 0
        for number, value in fields(data):
            if number == 1:
                kind = value
            elif number == 2:
                name = text(value)
            elif number == 3:
                tensor = self.get_tensor(value)[1]
            elif number == 4:
                items.append(self.get_value(value)[1])
            elif number == 5:
                code = value
        if kind == 0:
            return name, tensor
        if kind == 1:
            return name, Sequence(items, DTYPES.get(code, DTYPES[1])[0])
        return name, Optional(items[0] if items else None)

    def get_options(self, values):
        options = {}
        for data in values:
            pair = {number: text(value) for number, value in fields(data)}
            options[pair.get(1, "")] = pair.get(2, "")
        return options

    # -- what goes out

    def put_tensor(self, tensor, name=""):
        w = Writer()
        if name:
            w.block(1, name)
        code = CODES.get(dtype_name(tensor))
        if code is None:
            raise Unsupported("a result of type %s" % tensor.dtype)
        w.number(2, code)
        shape = tuple(int(d) for d in tensor.shape)
        if shape:
            dims = Writer()
            for d in shape:
                dims.varint(d)
            w.message(3, dims)
        if code == CODES["string"]:
            for s in tensor.data if isinstance(tensor, Tensor) else tensor.reshape(-1).tolist():
                w.block(7, s if isinstance(s, bytes) else str(s))
            return w
        data = packed_bytes(tensor)
        count = 1
        for d in shape:
            count *= d
        wanted = (count * DTYPES[code][1] + 7) // 8
        if len(data) != wanted:
            raise ValueError("a result of %d bytes where its shape needs %d" % (len(data), wanted))
        if len(data) > INLINE:
            w.number(5, self.shared.put(data))
        else:
            w.block(4, bytes(data))
        w.number(6, len(data))
        return w

    def put_value(self, value, name=""):
        w = Writer()
        if name:
            w.block(2, name)
        if isinstance(value, (list, tuple)):
            w.number(1, 1)
            for item in value:
                w.message(4, self.put_value(item))
            w.number(5, CODES.get(dtype_name(value if hasattr(value, "dtype") or not value else value[0]), 0))
        elif isinstance(value, Optional):
            w.number(1, 2)
            if value.value is not None:
                w.message(4, self.put_value(value.value))
        else:
            w.message(3, self.put_tensor(value))
        return w

    # -- requests: each takes the fields of its message and returns (number of the answer's field, its writer)

    def hello(self, groups):
        version = int_field(groups, 1)
        w = Writer()
        if version != PROTOCOL:
            raise Unsupported("this worker speaks version %d of the protocol, not %d" % (PROTOCOL, version))
        options = self.get_options(groups.get(3, ()))
        if not self.opened:
            self.version = self.backend.open(text_field(groups, 2), options)
            self.orders = forking.control()
        elif self.sessions or not hasattr(self.backend, "reopen"):
            raise Rejected("HELLO came twice")
        else:
            self.backend.reopen(options)
        self.opened = True
        self.lines = lines.watching(options, getattr(self.backend, "packages", (self.backend.library,)))
        w.number(1, PROTOCOL)
        w.block(2, self.backend.library)
        w.block(3, str(self.version))
        can = ["load", "intermediates"] + [c for c in ("backward", "invoke", "list") if hasattr(self.backend, c)]
        more = ["ahead"] + ["fork"] * bool(self.orders) + ["reopen"] * hasattr(self.backend, "reopen")
        for c in list(getattr(self.backend, "capabilities", can)) + more:
            w.block(4, c)
        for name in self.backend.operators() if hasattr(self.backend, "operators") else ():
            w.block(5, name)
        return 5, w

    def load(self, groups):
        self.stop_forking()
        size = int_field(groups, 3)
        model = self.shared.get(int_field(groups, 2), size) if size else groups.get(1, [b""])[-1]
        outputs = [text(v) for v in groups.get(5, ())]
        with self.lines:
            session = self.backend.load(bytes(model), self.get_options(groups.get(4, ())), outputs)
        self.sessions[self.next_session] = session
        w = Writer()
        w.number(1, self.next_session)
        self.next_session += 1
        return 6, w

    def session(self, groups):
        number = int_field(groups, 1)
        if number not in self.sessions:
            raise Rejected("there is no session %d" % number)
        return self.sessions[number]

    def run(self, groups):
        session = self.session(groups)
        inputs = dict(self.get_value(v) for v in groups.get(2, ()))
        names = [text(v) for v in groups.get(3, ())] or list(self.backend.outputs(session))
        with self.lines:
            results = list(self.backend.run(session, inputs, names))
        if len(results) != len(names):
            raise ValueError("%d results where %d were wanted" % (len(results), len(names)))
        w = Writer()
        for name, value in zip(names, results):
            w.message(1, self.put_value(value, name))
        return 7, w

    def backward(self, groups):
        if not hasattr(self.backend, "backward"):
            raise Unsupported("%s gives no gradients" % self.backend.library)
        session = self.session(groups)
        inputs = dict(self.get_value(v) for v in groups.get(2, ()))
        seeds = dict(self.get_tensor(v) for v in groups.get(3, ()))
        wanted = [text(v) for v in groups.get(4, ())]
        w = Writer()
        for name, tensor in zip(wanted, self.backend.backward(session, inputs, seeds, wanted)):
            w.message(1, self.put_tensor(tensor, name))
        return 8, w

    def get_argument(self, data):
        name, value, lists, which = "", None, {8: [], 9: [], 10: [], 11: []}, 0
        for number, field in fields(data):
            if number == 1:
                name = text(field)
            elif number == 2:
                value = self.get_value(field)[1]
            elif number == 3:
                value = signed(field)
            elif number == 4:
                value = struct.unpack("<d", field)[0]
            elif number == 5:
                value = text(field)
            elif number == 6:
                value = bool(field)
            elif number == 7:
                value = DTYPES.get(field, ("",))[0]
            elif number == 8:
                lists[8] += integers(field)
            elif number == 9:
                lists[9] += struct.unpack("<%dd" % (len(field) // 8), field)
            elif number == 10:
                lists[10].append(text(field))
            elif number == 11:
                lists[11].append(self.get_value(field)[1])
            elif number == 12:
                which = field
        if which:  # an empty list is not the same as nothing
            return name, lists.get(7 + which)
        for items in lists.values():
            value = items if items and value is None else value
        return name, value

    def invoke(self, groups):
        if not hasattr(self.backend, "invoke"):
            raise Unsupported("%s has no operations of its own to call" % self.backend.library)
        arguments = [self.get_argument(v) for v in groups.get(2, ())]
        self.backend.heads = int_field(groups, 5)
        values, gradients = self.backend.invoke(text_field(groups, 1), arguments, bool(int_field(groups, 4)))
        w = Writer()
        for value in values:
            w.message(1, self.put_value(value))
        for tensor in gradients:
            w.message(2, self.put_tensor(tensor))
        return 9, w

    def list(self, groups):
        if not hasattr(self.backend, "list"):
            raise Unsupported("%s has no list of operations" % self.backend.library)
        w = Writer()
        for op in self.backend.list(text_field(groups, 1)):
            o = Writer()
            o.block(1, op.name)
            for p in op.parameters:
                m = Writer()
                for number, value in ((1, p.name), (2, p.type), (3, p.default)):
                    m.block(number, value)
                for value in p.allowed:
                    m.block(4, value)
                m.number(5, int(p.is_input))
                m.number(6, int(p.optional))
                o.message(2, m)
            o.number(3, op.outputs)
            o.block(4, op.doc)
            w.message(1, o)
        return 10, w

    def unload(self, groups):
        session = self.session(groups)
        del self.sessions[int_field(groups, 1)]
        if hasattr(self.backend, "unload"):
            self.backend.unload(session)
        return 11, Writer()

    def bye(self, groups):
        self.done = True
        return 11, Writer()

    HANDLERS = {3: hello, 4: load, 5: run, 6: backward, 7: invoke, 8: list, 9: unload, 10: bye}

    def await_request(self, connection):
        """Copies of this process are made until there is a model."""
        copied = forking.wait(connection, self.orders) if self.orders else False
        if copied:
            self.shared = Shared(SHARED_MEMORY)
        if copied is not False:
            self.stop_forking()

    def stop_forking(self):
        if self.orders:
            self.orders.close()
        self.orders = None

    def handle(self, number, body):
        if number not in self.HANDLERS:
            raise Unsupported("a request that this worker does not know")
        if not self.opened and number not in (3, 10):
            raise Rejected("the first request must be HELLO")
        groups = {}
        for field, value in fields(body):
            groups.setdefault(field, []).append(value)
        return self.HANDLERS[number](self, groups)

    def answer(self, message):
        """The packed Response to a packed Request."""
        request = dict(fields(memoryview(message)))
        number = max(request.keys() - {1, 2}, default=0)
        self.shared.used = 0
        status, reason, body = OK, "", None
        try:
            self.shared.refresh(request.get(2, 0))
            body = self.handle(number, request.get(number, b""))
        except Exception as e:
            status, reason = status_of(e, self.own)
        w = Writer()
        w.number(1, request.get(1, 0))
        w.number(2, status)
        w.block(3, reason[:4000])
        w.number(4, self.shared.size)
        if body:
            w.message(*body)
        return w.getvalue()


SLIPS = (NameError, AttributeError, LookupError)  # what a mistake in Python raises, and hardly a library in C++


def is_slip(error, own):
    """Whether an error comes of a mistake in the code of a folder, and not of a library that this code calls."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(own and frames and isinstance(error, SLIPS) and os.path.dirname(frames[-1].filename) == own)


def status_of(error, own):
    """What becomes of a request that ended with an error, and the reason in words."""
    if isinstance(error, Unsupported):
        return UNSUPPORTED, str(error)
    if isinstance(error, Rejected):
        return REJECTED, str(error)
    if isinstance(error, MemoryError):
        return OOM, str(error) or "out of memory"
    quietly(traceback.print_exc)
    words = "%s: %s" % (type(error).__name__, error)
    if is_slip(error, own):  # the library is not to blame
        return UNSUPPORTED, "a mistake of assay's own worker: " + words
    return FAILED, words


def quietly(function):
    """Calls what prints: when the parent keeps no more of it, that is no reason to fail."""
    try:
        function()
    except OSError:
        pass


def dtype_name(tensor):
    return str(getattr(tensor, "dtype", "")).rpartition(".")[2]  # torch.float32


def int_field(groups, number):
    return groups.get(number, [0])[-1]


def text_field(groups, number):
    return text(groups.get(number, [b""])[-1])


def packed_bytes(tensor):
    """The elements of a Tensor or of an array, little endian, in C order."""
    if isinstance(tensor, Tensor):
        return memoryview(tensor.data).cast("B") if len(tensor.data) else b""
    try:
        view = memoryview(tensor)
        if view.c_contiguous and view.nbytes and view.ndim:
            return view.cast("B")
    except (ValueError, TypeError, BufferError):
        pass  # types the buffer interface has no name for, such as bfloat16
    return tensor.tobytes()


def read_exactly(connection, n):
    data = bytearray(n)
    view, got = memoryview(data), 0
    while got < n:
        part = connection.recv_into(view[got:])
        if not part:
            return None
        got += part
    return data


def serve(backend, own=None):
    """Answers requests until the parent says BYE or is gone.  own: a folder whose mistakes are not the library's."""
    for fd in (SOCKET, SHARED_MEMORY):
        os.set_inheritable(fd, False)
    connection = socket.socket(fileno=SOCKET)
    worker = Worker(backend, own)
    while not worker.done:
        worker.await_request(connection)
        head = read_exactly(connection, 4)
        if head is None:
            break
        size = struct.unpack("<I", head)[0]
        message = read_exactly(connection, size) if size <= MAX_MESSAGE else None
        if message is None:
            break
        answer = worker.answer(message)
        quietly(sys.stdout.flush)
        connection.sendall(struct.pack("<I", len(answer)) + answer)
    if worker.opened and hasattr(backend, "close"):
        backend.close()
