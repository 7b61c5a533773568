"""Cases of models: bytes that are no model, names, cycles, tensors, attributes, functions, data in other files."""

import random

from malformed import onnx
from malformed.arrays import zip_of
from malformed.messages import (ATTR_INT, ATTR_TENSOR, FLOAT, INT64, STRING, attribute, external, floats, function,
                                graph, graph_attribute, indices, info, model, node, opset, simple, sparse, tensor,
                                tensor_type)
from proto_fields import data, number, varint


def not_models():
    good = simple()
    onnx("zero-byte", b"", "empty")
    onnx("one-byte", b"\x08", "damaged")
    for share in (1, 10, 30, 50, 80, 95, 99):
        onnx("cut-%02d" % share, good[:max(3, len(good) * share // 100)], "damaged")
    onnx("cut-last-byte", good[:-1], "damaged")
    onnx("length-2-40", number(1, 8) + varint(7 << 3 | 2) + varint(1 << 40) + b"abc", "damaged")
    onnx("length-2-63", number(1, 8) + varint(7 << 3 | 2) + varint(1 << 63) + b"abc", "damaged")
    onnx("length-minus-one", number(1, 8) + varint(7 << 3 | 2) + varint(-1) + b"abc", "damaged")
    onnx("endless-varint", b"\x08" + b"\xff" * 40, "damaged")
    onnx("field-zero", b"\x02\x01a" + good, "damaged")
    onnx("group", b"\x0b\x0c" + good, "damaged")
    onnx("wire-type-7", b"\x0f" + good, "damaged")
    onnx("graph-as-number", number(1, 8) + number(7, 5), "not a message")
    onnx("text", b"This is no model.\n" * 10, "damaged")
    onnx("html", b"<!DOCTYPE html><html><body>404 not found</body></html>\n", "damaged")
    onnx("json", b'{"irVersion": 8, "graph": {}}\n', "damaged")
    onnx("picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64), "damaged")
    onnx("archive", zip_of([("model.onnx", good)]), "damaged")
    rng = random.Random(1)
    for k in range(4):
        onnx("random-%d" % k, bytes(rng.randrange(256) for _ in range(64 << k)), "damaged")
    onnx("tensor", tensor("w", raw=floats(2)), "damaged")
    onnx("no-graph", model(None), "no graph")
    onnx("no-ir-version", good[2:], "IR version")
    onnx("future-ir-version", simple(ir=1000), "1000")
    onnx("negative-ir-version", simple(ir=-3), "IR version")


def names():
    onnx("output-twice", simple([node("Neg", ["x"], ["y"])]), "'y' is defined twice")
    onnx("output-twice-in-node", simple([node("Split", ["x"], ["a", "a"])]), "'a' is defined twice")
    onnx("input-overwritten", simple([node("Neg", ["x"], ["x"])]), "'x' is defined twice")
    onnx("initializer-overwritten", simple([node("Neg", ["x"], ["w"])]), "'w' is defined twice")
    onnx("input-twice", simple(inputs=[info("x"), info("x")]), "'x' is defined twice")
    onnx("initializer-twice", simple(inits=[tensor("w", raw=floats(2))] * 2), "'w' is defined twice")
    onnx("output-listed-twice", simple(outputs=[info("y"), info("y")]), "'y' is listed twice")
    onnx("input-unknown", simple([node("Neg", ["nowhere"], ["a"])]), "'nowhere'")
    onnx("output-unknown", simple(outputs=[info("nowhere")]), "'nowhere'")
    onnx("initializer-missing", simple(inits=[]), "'w'")
    inner = graph([node("Neg", ["x"], ["hidden"])], outputs=[info("hidden")])
    onnx("inner-name-outside", simple([node("If", ["x"], ["a"], [graph_attribute("then_branch", inner)]),
                                       node("Neg", ["hidden"], ["b"])]), "'hidden'")
    onnx("input-without-name", simple(inputs=[info("x"), info("")]), "name is missing")
    onnx("initializer-without-name", simple(inits=[tensor("w", raw=floats(2)), tensor(raw=floats(2))]),
         "name is missing")
    onnx("operator-without-name", simple([node("", ["x"], ["a"])]), "operator's name")
    onnx("bad-utf8-value", simple([node("Neg", ["x"], [b"\xc3("])]), "UTF-8")
    onnx("bad-utf8-operator", simple([node(b"\xff\xfe", ["x"], ["a"])]), "UTF-8")
    onnx("bad-utf8-surrogate", simple([node("Neg", ["x"], ["a"], name=b"\xed\xa0\x80")]), "UTF-8")
    onnx("long-name", simple([node("Neg", ["x"], ["n" * 70000])]), "70000 bytes")
    onnx("opset-missing", simple(opsets=[]), "'ai.onnx'")
    onnx("domain-missing", simple([node("Neg", ["x"], ["a"], domain="my.domain")]), "'my.domain'")
    onnx("opset-negative", simple(opsets=[opset(-1)]), "-1")
    onnx("opset-twice", simple(opsets=[opset(17), opset(18, "ai.onnx")]), "18")


def cycles():
    onnx("cycle", simple([node("Neg", ["a"], ["b"]), node("Neg", ["b"], ["a"])]), "cycle")
    onnx("cycle-of-one", simple([node("Neg", ["a"], ["a"])]), "cycle")
    inner = graph(outputs=[info("a")])
    onnx("cycle-through-subgraph", simple([node("If", ["x"], ["a"], [graph_attribute("then_branch", inner)])]),
         "cycle")
    ring = [node("Neg", ["v%d" % i], ["v%d" % ((i + 1) % 500)]) for i in range(500)]
    onnx("cycle-of-500", simple(ring), "cycle")


def tensors():
    def bad(name, content, word="'w'"):
        onnx(name, simple(inits=[content]), word)

    bad("dims-more-than-data", tensor("w", [3], raw=floats(2)))
    bad("dims-less-than-data", tensor("w", [1], raw=floats(2)))
    bad("dims-negative", tensor("w", [-2], raw=floats(2)))
    bad("dims-2-40", tensor("w", [1 << 40], raw=floats(2)))
    bad("dims-overflow", tensor("w", [1 << 32, 1 << 32], raw=floats(2)))
    bad("dims-overflow-to-two", tensor("w", [1 << 63, 2, 2], raw=floats(2)))
    bad("rank-33", tensor("w", [1] * 32 + [2], raw=floats(2)))
    bad("rank-10000", tensor("w", [1] * 10000, raw=floats(1)))
    bad("dtype-unknown", tensor("w", dtype=99, raw=floats(2)))
    bad("dtype-undefined", tensor("w", dtype=0, raw=floats(2)))
    bad("dtype-negative", tensor("w", dtype=-1, raw=floats(2)))
    bad("strings-in-raw-data", tensor("w", dtype=STRING, raw=b"abcdefgh"))
    bad("floats-as-int64-data", tensor("w", more=data(7, varint(1) + varint(2))))
    bad("data-twice", tensor("w", raw=floats(2), more=data(4, floats(2))))
    bad("data-missing", tensor("w"))
    bad("segment", tensor("w", raw=floats(2), more=data(3, number(1, 0) + number(2, 8))))
    onnx("initializer-of-other-dims", simple(inputs=[info("x"), info("w", tensor_type(FLOAT, [3]))]), "float32[3]")
    onnx("initializer-of-other-type", simple(inputs=[info("x"), info("w", tensor_type(INT64))]), "int64[2]")
    onnx("elem-type-unknown", simple(inputs=[info("x", tensor_type(99))]), "99")
    onnx("dimension-negative", simple(inputs=[info("x", tensor_type(FLOAT, [-5]))]), "-5")
    onnx("shape-of-rank-33", simple(inputs=[info("x", tensor_type(FLOAT, [1] * 33))]), "rank 33")
    onnx("opaque-type", simple(inputs=[info("x", data(7, data(1, "d")))]), "opaque")
    type_ = tensor_type()
    for _ in range(10000):
        type_ = data(4, data(1, type_))
    onnx("deep-type", simple(inputs=[info("x", type_)]), "nested")

    def bad_sparse(name, values, at, dims, word="'s'"):
        onnx("sparse-" + name, simple(sparse=[sparse(values, at, dims)]), word)

    one = tensor("s", [1], raw=floats(1))
    two = tensor("s", [2], raw=floats(2))
    bad_sparse("outside", one, indices([4]), [4])
    bad_sparse("negative", one, indices([-1]), [4])
    bad_sparse("descending", two, indices([1, 0]), [4])
    bad_sparse("huge", one, indices([0]), [1 << 33])
    bad_sparse("2-62", one, indices([0]), [1 << 31, 1 << 31])
    bad_sparse("indices-of-rank-2", two, indices([0, 0, 0, 1], [2, 2]), [4])
    bad_sparse("fewer-indices", two, indices([0]), [4])
    bad_sparse("float-indices", one, tensor("", [1], raw=floats(1)), [4])
    onnx("sparse-without-indices", simple(sparse=[data(1, one)]), "indices")


def attributes():
    def bad(name, content, word="'k'"):
        onnx("attribute-" + name, simple([node("Odd", ["x"], ["a"], content, name="odd")]), word)

    bad("twice", [attribute("k", ATTR_INT, number(3, 1))] * 2)
    bad("without-value", [attribute("k", ATTR_TENSOR)])
    bad("of-unknown-type", [attribute("k", 77)], "77")
    bad("without-name", [attribute("", ATTR_INT, number(3, 1))], "attribute")
    bad("reference-outside-function", [attribute("k", ATTR_INT, ref="k")])
    bad("tensor-lies", [attribute("k", ATTR_TENSOR, data(5, tensor("t", [1 << 40], raw=floats(2))))])
    bad("many", [attribute("a%d" % i, ATTR_INT, number(3, 1)) for i in range(1100)], "1100 attributes")


def nested(depth):
    content = b""
    for _ in range(depth):
        content = data(1, node("If", attributes=[graph_attribute("g", content)]))
    return content


def nesting():
    call = lambda name, inputs=("x",), outputs=("z",): node(name, inputs, outputs, domain="local")

    def bad(name, functions, word, nodes=None):
        onnx("function-" + name, simple([call("F")] if nodes is None else nodes, functions=functions), word)

    bad("recursion", [function("F", [call("F", ["a"], ["b"])])], "calls itself")
    bad("mutual-recursion", [function("F", [call("G", ["a"], ["b"])]), function("G", [call("F", ["a"], ["b"])])],
        "calls itself")
    inner = graph([call("F", ["a"], ["c"])], outputs=[info("c")])
    bad("recursion-in-subgraph", [function("F", [node("If", ["a"], ["b"], [graph_attribute("then_branch", inner)])])],
        "calls itself")
    neg = node("Neg", ["a"], ["b"])
    bad("twice", [function("F", [neg])] * 2, "twice")
    bad("without-output", [function("F", [])], "'b'")
    bad("sees-caller", [function("F", [node("Neg", ["x"], ["b"])])], "'x'")
    bad("without-opset", [function("F", [neg], opsets=())], "'ai.onnx'")
    bad("too-many-inputs", [function("F", [neg])], "2 inputs", [call("F", ["x", "x"])])
    bad("too-many-outputs", [function("F", [neg])], "2 outputs", [call("F", ["x"], ["p", "q"])])
    bad("cycle", [function("F", [node("Add", ["a", "c"], ["b"]), node("Neg", ["b"], ["c"])])], "cycle")

    def tower(height, width):
        out = []
        for i in range(height):
            nodes = [node("F%d" % (i + 1) if i + 1 < height else "Neg", ["v%d" % k], ["v%d" % (k + 1)],
                          domain="local" if i + 1 < height else "") for k in range(width)]
            out.append(function("F%d" % i, nodes, ["v0"], ["v%d" % width]))
        return out

    bad("40-deep", tower(40, 1), "deeper", [call("F0")])
    bad("bomb", tower(20, 10), "nodes", [call("F0")])
    onnx("graphs-40-deep", simple([node("If", ["x"], ["a"], [graph_attribute("then_branch", nested(40))])]), "deeper")
    onnx("graphs-10000-deep", simple([node("If", ["x"], ["a"], [graph_attribute("then_branch", nested(10000))])]),
         "nested")


def external_data():
    def bad(name, word, dims=(2,), dtype=FLOAT, **entries):
        onnx("external-" + name, simple(inits=[external("w", dims, dtype, **entries)]), word)

    bad("absolute", "outside", location="/etc/hostname")
    bad("dot-dot", "outside", location="../../LICENSE")
    bad("dot-dot-inside", "outside", location="folder.onnx/../../../LICENSE")
    bad("link", "outside", location="external-link.bin")
    bad("missing", "nothing.bin", location="nothing.bin")
    bad("folder", "regular", location="folder.onnx")
    bad("without-location", "location", offset="0")
    bad("offset-beyond", "4096", location="external-16.bin", offset="4096")
    bad("offset-near-end", "offset 12", location="external-16.bin", offset="12")
    bad("offset-negative", "-4", location="external-16.bin", offset="-4")
    bad("offset-no-number", "0x8", location="external-16.bin", offset="0x8")
    bad("offset-2-64", "18446744073709551616", location="external-16.bin", offset="18446744073709551616")
    bad("length-lies", "length", location="external-16.bin", length="16")
    bad("2-40-elements", "external-16.bin", [1 << 40], location="external-16.bin")
    bad("strings", "strings", (2,), STRING, location="external-16.bin")
    bad("dtype-unknown", "99", (2,), 99, location="external-16.bin")
