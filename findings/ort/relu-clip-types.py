"""
title: Relu in front of Clip is refused; it is a valid model.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: The type is neither float nor float16, Clip has a lower bound that is a constant, and the model is
    optimized as
    by default: FuseReluClip knows these two types alone.
rule: ONNX Relu-14 allows float64 and int32, Clip-13 any number.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/10936
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def clipped(kind, bounds="a, b", **options):
    m = model("""(%s[4] x) => (%s[4] y) <%s a = {1}, %s b = {3}> { r = Relu(x) y = Clip(r, %s) }"""
              % (kind, kind, kind, kind, bounds), opset=14)
    return lambda: run(m, [-1, 2, 5, 1], **options)


wrong("float64", clipped("double"), [1, 2, 3, 1], seen=Refused("relu_clip_fusion"))
wrong("int32", clipped("int32"), [1, 2, 3, 1], seen=Refused("relu_clip_fusion"))
right("float32", clipped("float"), [1, 2, 3, 1])
right("int32, not optimized", clipped("int32", level=NONE), [1, 2, 3, 1])
right("int32, no lower bound", clipped("int32", ", b"), [0, 2, 3, 1])
verdict()
