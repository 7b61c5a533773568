"""
title: Cast to float8e4m3fn with saturate=0 returns 448 for numbers from 480 up to 496; NaN is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: saturate = 0, float8e4m3fn, 480 <= |x| < 496.  Just below (465 to 479) and from 496 on it gives NaN.
rule: ONNX Cast-19, table of casts to float 8: beyond the largest number NaN when saturate is 0.
documented: data/quirks.tsv, Cast
tracker: none found
"""
from library import model, right, run, verdict, wrong

NAN = float("nan")


def there_and_back(values, saturate):
    m = model("(float[%d] x) => (float[%d] y) { c = Cast<to = 17, saturate = %d>(x) y = Cast<to = 1>(c) }"
              % (len(values), len(values), saturate), opset=19, ir=9)
    return lambda: run(m, values)


wrong("480 to 495", there_and_back([480, 490, 495], 0), [NAN] * 3, seen=[448] * 3)
right("448, 465 to 479, 496 and more", there_and_back([448, 465, 479, 496, 1e9], 0), [448, NAN, NAN, NAN, NAN])
right("480 with saturate=1", there_and_back([480], 1), [448])
verdict()
