"""Messages of ONNX, as right or as wrong as one likes."""

import struct

from proto_fields import data, number

FLOAT, INT64, STRING = 1, 7, 8
ATTR_INT, ATTR_TENSOR, ATTR_GRAPH = 2, 4, 5


def each(field, contents):
    return b"".join(data(field, c) for c in contents)


# ---- ONNX messages ---------------------------------------------------------------------------------------------------


def tensor(name="", dims=(2,), dtype=FLOAT, raw=None, more=b""):
    out = b"".join(number(1, d) for d in dims) + number(2, dtype)
    if raw is not None:
        out += data(9, raw)
    return out + data(8, name) + more


def floats(n):
    return struct.pack("<%df" % n, *range(n))


def external(name="w", dims=(2,), dtype=FLOAT, **entries):
    pairs = each(13, [data(1, key) + data(2, value) for key, value in entries.items()])
    return tensor(name, dims, dtype, more=pairs + number(14, 1))


def shape(dims):
    return each(1, [number(1, d) if isinstance(d, int) else data(2, d) for d in dims])


def tensor_type(dtype=FLOAT, dims=(2,)):
    return data(1, number(1, dtype) + data(2, shape(dims)))


def info(name, type_=None):
    return data(1, name) + data(2, tensor_type() if type_ is None else type_)


def attribute(name, type_=0, content=b"", ref=None):
    return data(1, name) + content + (number(20, type_) if type_ else b"") + (data(21, ref) if ref else b"")


def graph_attribute(name, content):
    return attribute(name, ATTR_GRAPH, data(6, content))


def node(op, inputs=(), outputs=(), attributes=(), domain="", name=""):
    return (each(1, inputs) + each(2, outputs) + (data(3, name) if name else b"") + data(4, op)
            + each(5, attributes) + (data(7, domain) if domain else b""))


def graph(nodes=(), inits=(), inputs=(), outputs=(), values=(), sparse=(), name="g"):
    return (each(1, nodes) + data(2, name) + each(5, inits) + each(11, inputs) + each(12, outputs) + each(13, values)
            + each(15, sparse))


def opset(version=17, domain=""):
    return data(1, domain) + number(2, version)


def function(name, nodes, inputs=("a",), outputs=("b",), opsets=(17,), domain="local"):
    return (data(1, name) + each(4, inputs) + each(5, outputs) + each(7, nodes)
            + each(9, [opset(v) for v in opsets]) + data(10, domain))


def model(content, ir=8, opsets=None, functions=()):
    opsets = [opset(), opset(1, "local")] if opsets is None else opsets
    return number(1, ir) + each(8, opsets) + each(25, functions) + (b"" if content is None else data(7, content))


def simple(nodes=(), inits=None, inputs=None, outputs=None, sparse=(), values=(), **rest):
    """y = Add(x, w), with additions; what is given replaces."""
    return model(graph([node("Add", ["x", "w"], ["y"], name="add")] + list(nodes),
                       [tensor("w", raw=floats(2))] if inits is None else inits,
                       [info("x")] if inputs is None else inputs,
                       [info("y")] if outputs is None else outputs, values, sparse), **rest)


def sparse(values, indices, dims):
    return data(1, values) + data(2, indices) + b"".join(number(3, d) for d in dims)


def indices(numbers, dims=None):
    return tensor("", [len(numbers)] if dims is None else dims, INT64, struct.pack("<%dq" % len(numbers), *numbers))
