#!/usr/bin/env python3
"""A library of two operators, Identity and Add, as a worker: a start for one's own.

    assay run model.onnx -b "exec:python3 workers/python/example_worker.py"

It reads the model with the protobuf reader of assay_worker and computes on plain lists, so it needs nothing installed.
"""

from assay_worker import CODES, DTYPES, Rejected, Tensor, Unsupported, fields, integers, serve, text


class Node:
    def __init__(self, data):
        self.inputs, self.outputs, self.op = [], [], ""
        for number, value in fields(data):
            if number == 1:
                self.inputs.append(text(value))
            elif number == 2:
                self.outputs.append(text(value))
            elif number == 4:
                self.op = text(value)


def read_initializer(data):
    """(name, Tensor) of a TensorProto whose elements are in raw_data."""
    name, code, dims, raw = "", 0, [], None
    for number, value in fields(data):
        if number == 1:
            dims += integers(value)
        elif number == 2:
            code = value
        elif number == 8:
            name = text(value)
        elif number == 9:
            raw = bytes(value)
    if raw is None or code not in DTYPES:
        raise Unsupported("initializer '%s' has no raw_data" % name)
    return name, Tensor(DTYPES[code][0], dims, raw)


class Session:
    def __init__(self, model):
        self.nodes, self.values, self.outputs = [], {}, []
        try:
            graph = [value for number, value in fields(memoryview(model)) if number == 7][-1]
            for number, value in fields(graph):
                if number == 1:
                    self.nodes.append(Node(value))
                elif number == 5:
                    self.values.update([read_initializer(value)])
                elif number == 12:
                    self.outputs += [text(v) for n, v in fields(value) if n == 1]
        except (ValueError, IndexError) as e:
            raise Rejected("not a model: %s" % e) from None


def add(a, b):
    if a.dtype != b.dtype:
        raise Rejected("Add of %s and %s" % (a.dtype, b.dtype))
    if a.shape != b.shape:
        raise Unsupported("Add that broadcasts")
    if a.dtype not in ("float32", "float64", "int32", "int64"):
        raise Unsupported("Add of %s" % a.dtype)
    sums = [x + y for x, y in zip(a.numbers(), b.numbers())]
    if not a.dtype.startswith("float"):
        bits = DTYPES[CODES[a.dtype]][1]
        sums = [(x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for x in sums]
    return Tensor.of(a.dtype, a.shape, sums)


class Example:
    library = "example"
    KNOWN = {"Identity": lambda x: x, "Add": add}

    def open(self, folder, options):
        return "1.0"

    def operators(self):
        return sorted(self.KNOWN)

    def load(self, model, options, outputs):
        session = Session(model)
        for node in session.nodes:
            if node.op not in self.KNOWN:
                raise Unsupported("no operator %s" % node.op)
        session.outputs += outputs
        return session

    def outputs(self, session):
        return session.outputs

    def run(self, session, inputs, names):
        values = dict(session.values, **inputs)
        for node in session.nodes:
            missing = [name for name in node.inputs if name not in values]
            if missing:
                raise Rejected("input '%s' is missing" % missing[0])
            values[node.outputs[0]] = self.KNOWN[node.op](*(values[name] for name in node.inputs))
        return [values[name] for name in names]


if __name__ == "__main__":
    serve(Example())
