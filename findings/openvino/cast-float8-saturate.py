"""
title: Cast to a float of 8 bits returns NaN or infinity for numbers beyond the largest one; the largest one is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: saturate is 1 or left out, and the number is beyond the largest of float8e4m3fn (448) or float8e5m2 (57344).
rule: ONNX Cast-19, attribute saturate, default 1, and the table of casts to float 8.
documented: data/quirks.tsv, Cast
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/28651 is about FakeConvert
"""
from library import model, right, run, verdict, wrong


def there_and_back(kind, values):
    m = model("(float[%d] x) => (float[%d] y) { c = Cast<to = %d>(x) y = Cast<to = 1>(c) }" % (len(values),
                                                                                               len(values), kind),
              opset=19, ir=9)
    return lambda: run(m, values)


NAN, INF = float("nan"), float("inf")
wrong("float8e4m3fn, 1e6 and -1e6", there_and_back(17, [1e6, -1e6]), [448, -448], seen=[NAN, NAN])
wrong("float8e5m2, 1e6 and -1e6", there_and_back(19, [1e6, -1e6]), [57344, -57344], seen=[INF, -INF])
right("float8e4m3fn, 448 and -1", there_and_back(17, [448, -1]), [448, -1])
verdict()
