"""
title: Relu in front of a Clip with a negative upper bound is refused in opsets 7 to 10; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The bounds of Clip are attributes, the upper one is negative, and the model is optimized as by default: the
    lower bound becomes 0, which is then above the upper one.  Since opset 11 the result is right.
rule: ONNX Clip-6: the result is limited to the interval from min to max; min is the lowest float when it is not given.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/10936 is about the types of the same fusion
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def clipped(opset, clip, **options):
    m = model("(float[3] x) => (float[3] y) <float low = {-5}, float high = {-1}> { r = Relu(x) y = %s }" % clip,
              opset=opset)
    return lambda: run(m, [-2, 0, 3], **options)


ATTRIBUTES = "Clip<max = -1.0>(r)"
wrong("opset 10", clipped(10, ATTRIBUTES), [-1, -1, -1], seen=Refused("min_ <= max_"))
wrong("opset 7, both bounds", clipped(7, "Clip<min = -5.0, max = -1.0>(r)"), [-1, -1, -1], seen=Refused("min_ <= max_"))
right("opset 10, not optimized", clipped(10, ATTRIBUTES, level=NONE), [-1, -1, -1])
right("opset 13", clipped(13, "Clip(r, low, high)"), [-1, -1, -1])
right("opset 10, an upper bound of 1", clipped(10, "Clip<max = 1.0>(r)"), [0, 0, 1])
verdict()
