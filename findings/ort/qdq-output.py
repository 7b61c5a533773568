"""
title: An output of the model that a Transpose reads, too, is quantized where QuantizeLinear follows: 1.25 comes out
    as 1.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The output is made by a node and read by Transpose alone, QuantizeLinear and DequantizeLinear are behind it,
    and the model is optimized as by default: a pair of them is written between the node and the output.  Right where
    the Transpose's own result is an output, too, and with Reshape or Slice in its place.
rule: ONNX IR, "Graphs": an output is the value that its node makes.  An optimization must not change it.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import NONE, model, right, run, verdict, wrong


def both(node="Transpose(n)", kind="uint8", outputs="float[2,2] n, float[2,2] y", **options):
    m = model("""(float[2,2] x) => (%s) <float s = {1}, %s z = {0}, int64[2] square = {2, 2}, int64[1] two = {2},
        int64[1] zero = {0}> { n = Neg(x) t = %s q = QuantizeLinear(t, s, z) y = DequantizeLinear(q, s, z) }"""
              % (outputs, kind, node))
    return lambda: run(m, [0.5, -1.25, -3, 1], **options)


numbers = [-0.5, 1.25, 3, -1]
wrong("uint8", both(), (numbers, [0, 3, 1, 0]), seen=([0, 1, 3, 0], [0, 3, 1, 0]))
wrong("int8", both(kind="int8"), (numbers, [0, 3, 1, -1]), seen=([0, 1, 3, -1], [0, 3, 1, -1]))
right("uint8, not optimized", both(level=NONE), (numbers, [0, 3, 1, 0]))
right("three outputs", both(outputs="float[2,2] n, float[2,2] t, float[2,2] y"),
      (numbers, [-0.5, 3, 1.25, -1], [0, 3, 1, 0]))
right("Reshape", both("Reshape(n, square)"), (numbers, [0, 1, 3, 0]))
right("Slice", both("Slice(n, zero, two)"), (numbers, [0, 1, 3, 0]))
verdict()
