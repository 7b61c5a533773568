"""
title: MatMul by weights behind DequantizeLinear with blocks takes other scales than theirs: 25 and 68 become 7 and 20;
    Conv and the quantized MatMul are refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: block_size is given, the other input comes from DequantizeLinear, too, and the model is optimized as by
    default: MatMulIntegerToFloat, QLinearMatMul and QLinearConv are given the scales, and have no blocks.  Not
    optimized it is right.  Scales along an axis are another case (qdq-matmul-axis).
rule: ONNX DequantizeLinear-21, attribute block_size: each scale is repeated as often as it says.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import NONE, Refused, model, right, run, verdict, wrong

SCALES = "float[2,2] s = {1, 2, 4, 8}, int8[2,2] w = {1, 2, 3, 4}"  # weights of 1, 4, 12 and 32
PARTS = "d = DequantizeLinear(x, one) e = DequantizeLinear<axis = 0, block_size = 1>(w, s)"


def product(kind, last, **options):
    m = model("(uint8[1,2] x) => (%s[1,2] y) <float one = {1}, %s> { %s %s }" % (kind, SCALES, PARTS, last), opset=21,
              ir=10)
    return lambda: run(m, [1, 2], **options)


def convolved(**options):
    m = model("""(uint8[1,2,1,1] x) => (uint8[1,1,1,1] y)
        <float one = {1}, float[1,2,1,1] s = {1, 2}, int8[1,2,1,1] w = {1, 2}> { d = DequantizeLinear(x, one)
        e = DequantizeLinear<axis = 1, block_size = 1>(w, s) c = Conv(d, e) y = QuantizeLinear(c, one) }""", opset=21,
              ir=10)
    return lambda: run(m, [1, 2], **options)


plain, quantized = "y = MatMul(d, e)", "p = MatMul(d, e) y = QuantizeLinear(p, one)"
wrong("MatMul", product("float", plain), [25, 68], seen=[7, 20])
wrong("MatMul and QuantizeLinear", product("uint8", quantized), [25, 68], seen=Refused("QLinearMatMul"))
wrong("Conv", convolved(), [9], seen=Refused("filter scale shape invalid"))
right("MatMul, not optimized", product("float", plain, level=NONE), [25, 68])
right("MatMul and QuantizeLinear, not optimized", product("uint8", quantized, level=NONE), [25, 68])
right("Conv, not optimized", convolved(level=NONE), [9])
verdict()
