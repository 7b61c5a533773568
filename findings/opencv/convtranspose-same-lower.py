"""
title: ConvTranspose with auto_pad SAME_LOWER cuts at the end; the beginning is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: SAME_LOWER, an odd number of places to cut (a kernel of 2), strides of 1; both engines.  SAME_UPPER is right.
    Conv has it, too (`conv-same-lower`).
rule: ONNX ConvTranspose-11, attribute auto_pad: "the extra padding is added at the end for SAME_UPPER and at the
    beginning for SAME_LOWER".
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = """(float[1,1,1,2] x) => (float[1,1,1,2] y) <float[1,1,1,2] w = {1, 10}>
    { y = ConvTranspose<auto_pad = "SAME_%s">(x, w) }"""

wrong("the new engine", call(TEXT % "LOWER", [1, 2]), [12, 20], seen=[1, 12])
wrong("the classic engine", call(TEXT % "LOWER", [1, 2], engine=1), [12, 20], seen=[1, 12])
right("SAME_UPPER", call(TEXT % "UPPER", [1, 2]), [1, 12])
verdict()
