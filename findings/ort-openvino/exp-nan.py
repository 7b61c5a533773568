"""
title: Exp of NaN is infinity; it is NaN.
library: onnxruntime-openvino
shows: 1.24.1
since: 1.24.1
class: bug
condition: Any number of elements.  ONNX Runtime's own kernel gives NaN.
rule: ONNX Exp-13: the exponential of the input; IEEE 754, 6.2: an operation with a quiet NaN gives a quiet NaN.
documented: docs/backends.md, Execution providers of ONNX Runtime
tracker: https://github.com/openvinotoolkit/openvino/issues/35685 (open; the same in OpenVINO 2026.1)
found: fuzz
"""
from library import call, right, verdict, wrong

NAN = float("nan")
TEXT = "(float[2] x) => (float[2] y) { y = Exp(x) }"

wrong("NaN", call(TEXT, [NAN, 0]), [NAN, 1], seen=[float("inf"), 1])
right("ONNX Runtime's own kernel", call(TEXT, [NAN, 0], provider="CPU"), [NAN, 1])
right("minus infinity", call(TEXT, [-float("inf"), 1]), [0, 2.7182818])
verdict()
