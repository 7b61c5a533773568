"""Good models, one for each thing the reader knows, from which the fuzzer starts."""

from malformed.messages import (ATTR_GRAPH, ATTR_INT, ATTR_TENSOR, INT64, STRING, attribute, each, floats, function,
                                graph, graph_attribute, indices, info, node, simple, sparse, tensor, tensor_type)
from proto_fields import data, number, varint


def seeds():
    branch = graph([node("Neg", ["x"], ["n"])], outputs=[info("n")])
    call = node("F", ["x"], ["z"], [attribute("k", ATTR_INT, number(3, 5))], "local")
    body = node("Odd", ["a"], ["b"], [attribute("axis", ATTR_INT, ref="k")])
    callee = function("F", [body]) + data(6, "k")
    defaults = function("F", [body]) + data(11, attribute("k", ATTR_INT, number(3, 5)))
    inside = function("F", [node("If", ["a"], ["b"], [graph_attribute("then_branch", graph(
        [node("Neg", ["a"], ["n"])], outputs=[info("n")]))])]) + data(6, "k")
    every = [attribute("f", 1, varint(2 << 3 | 5) + floats(1)), attribute("s", 3, data(4, "text")),
             attribute("t", ATTR_TENSOR, data(5, tensor(raw=floats(2)))), attribute("g", ATTR_GRAPH, data(6, branch)),
             attribute("fs", 6, varint(7 << 3 | 5) + floats(1)), attribute("is", 7, number(8, 1) + number(8, -1)),
             attribute("ss", 8, data(9, "a")), attribute("ts", 9, data(10, tensor(raw=floats(2)))),
             attribute("gs", 10, data(11, branch)), attribute("tp", 13, data(14, data(4, data(1, tensor_type()))))]
    return {
        "simple": simple(),
        "unsorted": simple([node("Neg", ["b"], ["c"]), node("Neg", ["x"], ["b"])]),
        "branch": simple([node("If", ["x"], ["z"], [graph_attribute("then_branch", branch)])]),
        "function": simple([call], functions=[callee]),
        "function-default": simple([node("F", ["x"], ["z"], domain="local")], functions=[defaults]),
        "function-subgraph": simple([call], functions=[inside]),
        "attributes": simple([node("Odd", ["x", "", "x"], ["", "z"], every)]),
        "sparse": simple(sparse=[sparse(tensor("s", [1], raw=floats(1)), indices([1, 0], [1, 2]), [2, 2])]),
        "types": simple(inputs=[info("x"), info("o", data(9, data(1, data(4, data(1, tensor_type(INT64, ["N", -1])))))),
                                info("m", data(5, number(1, STRING) + data(2, tensor_type())))]),
        "strings": simple(inits=[tensor("w", [2], STRING, more=each(6, ["a", "b"]))], values=[info("y")]),
    }
