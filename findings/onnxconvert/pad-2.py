"""
title: Pad of opset 10 and before of float64 or float16 gets a constant_value of float32, which is no valid model.
library: onnxconvert
shows: 1.23.2
class: bug
condition: mode constant, to opset 11 or after, and the data are not float32.  edge and reflect are right.
rule: ONNX Pad-11, type constraint T: data and constant_value have one type; the package's own checker refuses the
    result.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/onnx/onnx/pull/4795 (merged) is about a Pad-2 without value
"""
import onnx

from library import ReferenceEvaluator, Refused, feeds, model, right, verdict, version_converter, wrong


def padded(kind, mode="constant", to=11):
    m = model('(%s[1] x) => (%s[2] y) { y = Pad<pads = [0, 1], mode = "%s">(x) }' % (kind, kind, mode), opset=10)

    def converted():
        result = version_converter.convert_version(m, to)
        onnx.checker.check_model(result, full_check=True)
        return ReferenceEvaluator(result).run(None, feeds(m, [[3]]))
    return converted


says = Refused("constant_value has inconsistent type")
wrong("float64", padded("double"), [3, 0], seen=says)
wrong("float16", padded("float16"), [3, 0], seen=says)
wrong("float64, to opset 13", padded("double", to=13), [3, 0], seen=says)
right("float32", padded("float"), [3, 0])
right("float64, edge", padded("double", "edge"), [3, 3])
right("float64, left at opset 10", padded("double", to=10), [3, 0])
verdict()
