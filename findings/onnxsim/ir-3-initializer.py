"""
title: In IR version 3, with mutable_initializer, an initializer that is folded is not made an input.
library: onnxsim
shows: 0.8.1
class: bug
condition: IR version 3, mutable_initializer=True, and a node that reads initializers alone.
rule: ONNX IR: before IR version 4 every initializer is an input as well.
documented: data/quirks.tsv, MatMul
tracker: none found; https://github.com/onnxsim/onnxsim/pull/553 (merged) is about IR version 3 with an opset before 6,
    without mutable_initializer
"""
import onnx
from library import Refused, onnxsim, right, verdict, wrong

TEXT = ("<ir_version: %d, opset_import: [\"\" : 13]> g (float[1, 2] x, float[1, 2] w) => (float[1, 1] y) "
        "<float[1, 2] w = {1, 2}> { t = Transpose(w) y = MatMul(x, t) }")


def simplified(ir):
    """The number of outputs of what is written, once ONNX's checker has found it valid."""
    m = onnx.parser.parse_model(TEXT % ir)

    def run():
        written = onnxsim.simplify(m, mutable_initializer=True)[0]
        onnx.checker.check_model(written)
        return len(written.graph.output)

    return run


wrong("IR version 3", simplified(3), 1, seen=Refused("in initializer but not in graph input"))
right("IR version 8", simplified(8), 1)
verdict()
