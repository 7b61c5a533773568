"""
title: Concat and Softmax between DequantizeLinear and QuantizeLinear take the first scale of an axis for all of them;
    other nodes are refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: A scale for each index of an axis, and the model is optimized as by default: the fused QLinearConcat, and
    QLinearSoftmax for its output, read the first.  Refused: AveragePool, LeakyRelu, Sigmoid, and Softmax with scales of
    its input.  Relu, and one scale for all, are right.
rule: ONNX QuantizeLinear-13 and DequantizeLinear-13: a scale may be a vector, with one for each index of axis.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import NONE, Refused, model, right, run, verdict, wrong

ONE, TWO = " s = {0.25}", "[2] s = {0.25, 0.125}"


def quantized(node, before=ONE, behind=ONE, **options):
    """4 and 4 along axis 2, which are 1 and 1 by one scale, 1 and 0.5 by two."""
    m = model("""(uint8[1,1,2,1] x) => (uint8[1,1,2,1] y) <float%s, float%s>
        { d = DequantizeLinear<axis = 2>(x, s) t = %s y = QuantizeLinear<axis = 2>(t, q) }"""
              % (before, behind.replace("s =", "q ="), node))
    return lambda: run(m, [4, 4], **options)


concat, softmax, pool = "Concat<axis = 0>(d)", "Softmax(d)", "AveragePool<kernel_shape = [1, 1]>(d)"
wrong("Concat, two scales of the output", quantized(concat, behind=TWO), [4, 8], seen=[4, 4])
wrong("Concat, two scales of the input", quantized(concat, TWO), [4, 2], seen=[4, 4])
wrong("Softmax of one element, two scales of the output", quantized(softmax, behind=TWO), [4, 8], seen=[4, 4])
wrong("Softmax of one element, two scales of the input", quantized(softmax, TWO), [4, 4], seen=Refused("scalar"))
wrong("AveragePool of one element, two scales of both", quantized(pool, TWO, TWO), [4, 4], seen=Refused("scalar"))
wrong("LeakyRelu, two scales of both", quantized("LeakyRelu(d)", TWO, TWO), [4, 4], seen=Refused("scalar"))
wrong("Sigmoid, two scales of the input", quantized("Sigmoid(d)", TWO), [3, 2], seen=Refused("scalar"))
right("Concat, two scales of the output, not optimized", quantized(concat, behind=TWO, level=NONE), [4, 8])
right("Softmax of one element, the same, not optimized", quantized(softmax, behind=TWO, level=NONE), [4, 8])
right("Sigmoid, two scales of the input, not optimized", quantized("Sigmoid(d)", TWO, level=NONE), [3, 2])
right("Concat, one scale", quantized(concat), [4, 4])
right("Relu, two scales of the input", quantized("Relu(d)", TWO), [4, 2])
verdict()
