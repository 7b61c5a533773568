"""Graphs that ONNX Runtime's optimizers rewrite, and next to each what looks nearly the same and is something else:
another axis, another number, a tensor that something else reads as well, an operand that is fed in the place of a
constant.  ortapi_worker.py says what a graph may have."""

import written

GELU = "onnx.Mul(onnx.Mul({x}, graph.number(t0, 0.5)), onnx.Add(onnx.Erf(onnx.Div({x}, " \
       "graph.number(t0, {root}))), graph.number(t0, 1)))"
TANH = "onnx.Mul(onnx.Mul({x}, graph.number(t0, 0.5)), onnx.Add(graph.number(t0, 1), onnx.Tanh(onnx.Mul(" \
       "onnx.Mul({x}, graph.number(t0, 0.7978845608028654)), onnx.Add(onnx.Mul(onnx.Mul(" \
       "graph.number(t0, 0.044715), {x}), {x}), " \
       "graph.number(t0, 1))))))"
CENTRED = "onnx.Sub({x}, onnx.ReduceMean({x}, axes=[{axis}], keepdims=1))"
NORM = "onnx.Add(onnx.Mul(onnx.Div(" + CENTRED + ", onnx.Sqrt(onnx.Add(onnx.ReduceMean(onnx.Pow(" + CENTRED + ", " \
       "graph.number(t0, 2)), axes=[{axis}], keepdims=1), graph.number(t0, {epsilon})))), {scale}), {bias})"
RMS = "onnx.Mul(onnx.Div({x}, onnx.Sqrt(onnx.Add(onnx.ReduceMean(onnx.Pow({x}, graph.number(t0, 2)), axes=[-1], " \
      "keepdims=1), graph.number(t0, 1e-5)))), {scale})"
QDQ = "onnx.DequantizeLinear(onnx.QuantizeLinear({x}, graph.number('float32', {s}), graph.number('{t}', {z})), " \
      "graph.number('float32', {s}), graph.number('{t}', {z}))"


def qdq(x, s=0.05, z=3, t="uint8"):
    return QDQ.format(x=x, s=s, z=z, t=t)


def gelu(x, root="1.4142135381698608"):
    return GELU.format(x=x, root=root)


def norm(x, axis=-1, scale="graph.constant(t1)", bias="graph.constant(t2)", epsilon="1e-5"):
    return NORM.format(x=x, axis=axis, scale=scale, bias=bias, epsilon=epsilon)


CONV = "onnx.Conv(t0, graph.constant(t1), pads=[1, 1, 1, 1])"
BIASED = "onnx.Conv(t0, graph.constant(t1), graph.constant(t2), pads=[1, 1, 1, 1])"
FED = "onnx.Conv(t0, t1, pads=[1, 1, 1, 1])"
IMAGE = "1,2,5,5 4,2,3,3"
BN = "onnx.BatchNormalization({x}, graph.constant(t2), graph.constant(t3), graph.constant(t4), graph.constant(t5))"
STATS = " 4 4 4 4:float32.positive"

# Sizes of t0, t1 …; behind a colon the element type with what numbers it has, where it is not float32.
GRAPHS = [
    # nothing is done, behind a node: EliminateIdentity, NoopElimination, EliminateDropout, EliminateSlice, …
    ("2,3", "onnx.Relu(onnx.Identity(t0))"),
    ("2,3", "onnx.Abs(onnx.Add(onnx.Neg(t0), graph.number(t0, 0)))"),
    ("2,3", "onnx.Abs(onnx.Sub(onnx.Neg(t0), graph.number(t0, 0)))"),
    ("2,3", "onnx.Neg(onnx.Sub(graph.number(t0, 0), onnx.Neg(t0)))"),
    ("2,3", "onnx.Abs(onnx.Mul(onnx.Neg(t0), graph.number(t0, 1)))"),
    ("2,3", "onnx.Abs(onnx.Div(onnx.Neg(t0), graph.fill(t0, [1], 1)))"),
    ("2,3", "onnx.Neg(onnx.Div(graph.number(t0, 1), onnx.Neg(t0)))"),
    ("3", "onnx.Abs(onnx.Mul(onnx.Neg(t0), graph.fill(t0, [1, 1], 1)))"),
    ("2,3:int32", "onnx.Abs(onnx.Mul(onnx.Neg(t0), graph.number(t0, 1)))"),
    ("2,3", "onnx.Relu(onnx.Dropout(t0))"),
    ("2,3", "onnx.Relu(onnx.Dropout(onnx.Neg(t0), graph.number('float32', 0.0)))"),
    ("2,3", "onnx.Relu(onnx.Cast(t0, to=1))"),
    ("2,3", "onnx.Relu(onnx.Cast(onnx.Cast(t0, to=11), to=1))"),
    ("2,3:int32", "onnx.Abs(onnx.Cast(onnx.Cast(t0, to=7), to=6))"),
    ("2,3", "onnx.Abs(onnx.Cast(onnx.Cast(t0, to=10), to=1))"),
    ("2,3:int64", "onnx.Abs(onnx.Cast(onnx.Cast(t0, to=1), to=7))"),
    ("2,3", "onnx.Concat(onnx.Cast(t0, to=7), onnx.Cast(onnx.Cast(t0, to=6), to=7), axis=0)"),
    ("2,3,4", "onnx.Relu(onnx.Slice(onnx.Neg(t0), graph.ints([0]), graph.ints([9223372036854775807]), "
              "graph.ints([1])))"),
    ("2,3,4", "onnx.Relu(onnx.Slice(onnx.Neg(t0), graph.ints([0, 1]), graph.ints([2, 3])))"),
    ("2,3,4", "onnx.Relu(onnx.Slice(onnx.Neg(t0), graph.ints([-4]), graph.ints([4]), graph.ints([2]), "
              "graph.ints([-1])))"),
    ("2,3", "onnx.Relu(onnx.Expand(onnx.Neg(t0), graph.ints([2, 3])))"),
    ("2,3", "onnx.Relu(onnx.Expand(onnx.Neg(t0), graph.ints([2, 1])))"),
    ("1,3", "onnx.Relu(onnx.Expand(onnx.Neg(t0), graph.ints([2, 3])))"),
    ("3", "onnx.Add(t0, onnx.Unsqueeze(graph.constant(t0), graph.ints([0])))"),
    ("3", "onnx.Add(t0, onnx.Unsqueeze(graph.constant(t0), graph.ints([1, 0])))"),
    ("2,3", "onnx.Relu(onnx.Tile(onnx.Neg(t0), graph.ints([1, 1])))"),
    ("2,3", "onnx.Concat(onnx.Relu(t0), axis=0)"),
    ("2,3", "onnx.Concat(onnx.Relu(onnx.Cast(t0, to=10)), onnx.Abs(onnx.Cast(t0, to=10, again=1)), axis=0)"),
    ("2,3,4", "onnx.Shape(onnx.Cast(onnx.Neg(t0), to=7))"),
    ("2,3", "onnx.Unsqueeze(onnx.Squeeze(onnx.Unsqueeze(onnx.Neg(t0), graph.ints([0])), graph.ints([0])), "
            "graph.ints([1]))"),
    # constants: ConstantFolding, ConstantSharing, CommonSubexpressionElimination, NotWhereFusion, DivMulFusion
    ("2,3 2,3", "onnx.Add(t0, onnx.Mul(graph.constant(t1), graph.constant(t1)))"),
    ("2,3 2,3", "onnx.Mul(t0, onnx.Exp(onnx.Add(graph.constant(t1), graph.constant(t1))))"),
    ("2,3 3,2", "onnx.MatMul(t0, onnx.Div(graph.constant(t1), graph.number(t0, 3)))"),
    ("2,3 2,3", "onnx.Div(onnx.Div(t0, graph.constant(t1)), graph.constant(t1))"),
    ("2,3 2,3:int32", "onnx.Add(t0, onnx.Cast(graph.constant(t1), to=1))"),
    ("2,3 4,3", "onnx.Add(onnx.ReduceSum(graph.constant(t1), graph.ints([0]), keepdims=1), t0)"),
    ("2,3 2,3", "onnx.Add(onnx.Softmax(graph.constant(t1), axis=1), t0)"),
    ("2,3,4", "onnx.Reshape(t0, onnx.Concat(onnx.Slice(onnx.Shape(t0), graph.ints([0]), graph.ints([1])), "
              "graph.ints([-1]), axis=0))"),
    ("2,3,4", "onnx.Reshape(t0, onnx.Concat(onnx.Unsqueeze(onnx.Gather(onnx.Shape(t0), graph.number('int64', 0)), "
              "graph.ints([0])), onnx.Unsqueeze(onnx.Gather(onnx.Shape(t0), graph.number('int64', 1)), "
              "graph.ints([0])), graph.ints([2]), graph.ints([2]), axis=0))"),
    ("2,3,4", "onnx.Mul(t0, onnx.Cast(onnx.Size(t0), to=1))"),
    ("2,3", "onnx.Add(onnx.Add(t0, graph.number(t0, 0.5)), graph.number(t0, 0.5))"),
    ("2,3", "onnx.Mul(onnx.Tanh(t0), onnx.Tanh(t0, again=1))"),
    ("2,3", "onnx.Add(onnx.Exp(t0), onnx.Exp(t0, again=1))"),
    ("2,3", "onnx.Sub(onnx.ReduceMean(t0, axes=[1]), onnx.ReduceMean(t0, axes=[0], keepdims=1))"),
    ("2,3", "onnx.Mul(onnx.Div(graph.number(t0, 1), t0), t0)"),
    ("2,3 2,3", "onnx.Mul(onnx.Div(graph.number(t0, 1), t0), t1)"),
    ("2,3 2,3", "onnx.Mul(t1, onnx.Div(graph.fill(t0, [1], 1), t0))"),
    ("2,3 2,3", "onnx.Mul(onnx.Div(graph.number(t0, 2), t0), t1)"),
    ("2,3:bool 2,3 2,3", "onnx.Where(onnx.Not(t0), t1, t2)"),
    ("2,3:bool 2,3 3", "onnx.Where(onnx.Not(t0), t1, t2)"),
    ("2,3 2,3", "onnx.Where(onnx.Not(onnx.Less(t0, t1)), t0, t1)"),
    ("2,3", "onnx.Clip(onnx.Relu(t0), graph.number(t0, 0), graph.number(t0, 6))"),
    ("2,3", "onnx.Clip(onnx.Relu(t0), graph.number(t0, -1), graph.number(t0, 6))"),
    ("2,3", "onnx.Clip(onnx.Relu(t0), graph.number(t0, 0.5))"),
    ("2,3", "onnx.Clip(onnx.Relu(t0), graph.number(t0, -2), graph.number(t0, -1))"),
    ("2,3", "onnx.Clip(onnx.Relu(t0))"),
    # products: MatMulAddFusion, GemmActivationFusion, GemmSumFusion, GemmTransposeFusion, MatMulScaleFusion, …
    ("2,3 3,4 4", "onnx.Add(onnx.MatMul(t0, t1), t2)"),
    ("2,3 3,4 2,4", "onnx.Add(t2, onnx.MatMul(t0, t1))"),
    ("2,3 3,4 2,1", "onnx.Add(onnx.MatMul(t0, graph.constant(t1)), graph.constant(t2))"),
    ("2,2,3 3,4 4", "onnx.Add(onnx.MatMul(t0, graph.constant(t1)), graph.constant(t2))"),
    ("2,3 3,4 3,4", "onnx.Add(onnx.MatMul(t0, t1), onnx.MatMul(t0, t2))"),
    ("2,3 3,4 4", "onnx.Relu(onnx.Gemm(t0, t1, t2))"),
    ("2,3 3,4 4", "onnx.LeakyRelu(onnx.Gemm(t0, t1, t2, alpha=0.5), alpha=0.3)"),
    ("2,3 3,4 4", "onnx.Tanh(onnx.Gemm(t0, t1, t2, beta=2.0))"),
    ("2,3 3,4 4", "onnx.HardSigmoid(onnx.Gemm(t0, t1, t2))"),
    ("2,3 3,4 4", "onnx.Softplus(onnx.Gemm(t0, t1, t2))"),
    ("2,3 3,4 4", "onnx.Sum(onnx.Gemm(t0, t1), t2)"),
    ("2,3 3,4 2,4", "onnx.Sum(onnx.Gemm(t0, t1, alpha=2.0), t2)"),
    ("3,2 3,4", "onnx.Gemm(onnx.Transpose(t0, perm=[1, 0]), t1)"),
    ("3,2 4,3 4", "onnx.Gemm(onnx.Transpose(t0, perm=[1, 0]), onnx.Transpose(t1, perm=[1, 0]), t2)"),
    ("2,3 3,4", "onnx.Transpose(onnx.Gemm(t0, t1), perm=[1, 0])"),
    ("3,2 3,4", "onnx.Gemm(onnx.Transpose(t0, perm=[1, 0]), t1, transA=0, transB=0, alpha=0.5)"),
    ("2,3 3,4", "onnx.MatMul(onnx.Mul(t0, graph.number(t0, 0.5)), t1)"),
    ("2,3 3,4", "onnx.Div(onnx.MatMul(t0, onnx.Mul(t1, graph.number(t0, 3))), graph.number(t0, 7))"),
    ("2,3 3,4", "onnx.Mul(onnx.MatMul(t0, t1), graph.number(t0, 1e30))"),
    ("2,3 3,4", "onnx.MatMul(onnx.Div(t0, graph.number(t0, 1e30)), onnx.Mul(t1, graph.number(t0, 1e30)))"),
    ("2,3,2 2,3,4", "onnx.MatMul(onnx.Transpose(t0, perm=[0, 2, 1]), t1)"),
    ("2,2,3 2,4,3", "onnx.MatMul(t0, onnx.Transpose(t1, perm=[0, 2, 1]))"),
    ("3,2 4,3", "onnx.MatMul(onnx.Transpose(t0), onnx.Transpose(t1))"),
    ("2,2,3 4,2,3", "onnx.MatMul(t0, onnx.Transpose(t1, perm=[1, 2, 0]))"),
    ("2,3,4,5 2,4,3,6", "onnx.MatMul(onnx.Transpose(t0, perm=[0, 2, 3, 1]), onnx.Transpose(t1, perm=[0, 1, 2, 3]))"),
    ("2,3 3,4" + STATS, BN.format(x="onnx.MatMul(t0, graph.constant(t1))")),
    ("2,3 3,4" + STATS, BN.format(x="onnx.Transpose(onnx.Transpose(onnx.MatMul(t0, graph.constant(t1)), "
                                    "perm=[1, 0]), perm=[1, 0])")),
    # convolutions: ConvAddFusion, ConvMulFusion, ConvBNFusion, ConvActivationFusion, Pad_Fusion, Nchwc, …
    (IMAGE, CONV),
    (IMAGE, FED),
    (IMAGE + " 1,4,1,1", f"onnx.Add({CONV}, graph.constant(t2))"),
    (IMAGE + " 4,1,1", f"onnx.Add({CONV}, graph.constant(t2))"),
    (IMAGE + " 1,4,1,1", f"onnx.Add(graph.constant(t2), {CONV})"),
    (IMAGE + " 1,4,1,1", f"onnx.Add({FED}, t2)"),
    (IMAGE + " 1,4,1,1", f"onnx.Mul({CONV}, graph.constant(t2))"),
    (IMAGE + " 4 1,4,1,1", f"onnx.Mul({BIASED}, graph.constant(t3))"),
    (IMAGE + " 1,1,1,5", f"onnx.Mul({CONV}, graph.constant(t2))"),
    (IMAGE, f"onnx.Mul({CONV}, graph.fill(t0, [1, 4, 1, 1], 1e30))"),
    (IMAGE + STATS, BN.format(x=CONV)),
    (IMAGE + " 4 4 4 4:float32.positive", f"onnx.Relu({BN.format(x=CONV)})"),
    (IMAGE, f"onnx.Relu({CONV})"),
    (IMAGE, f"onnx.Sigmoid({FED})"),
    (IMAGE, f"onnx.Tanh({CONV})"),
    (IMAGE, f"onnx.LeakyRelu({CONV}, alpha=0.2)"),
    (IMAGE, f"onnx.HardSigmoid({CONV}, alpha=0.5)"),
    (IMAGE, f"onnx.Clip({CONV}, graph.number(t0, -1), graph.number(t0, 2))"),
    (IMAGE, f"onnx.Clip({CONV}, graph.number(t0, 1))"),
    (IMAGE, f"onnx.Mul(onnx.Sigmoid({CONV}), {CONV})"),
    (IMAGE + " 1,4,5,5", f"onnx.Relu(onnx.Add({CONV}, t2))"),
    (IMAGE + " 1,4,5,5", f"onnx.Relu(onnx.Add(t2, {FED}))"),
    (IMAGE, f"onnx.Relu(onnx.Add({CONV}, {CONV}))"),
    (IMAGE, f"onnx.Add(onnx.Relu({CONV}), {CONV})"),
    (IMAGE, "onnx.Conv(onnx.Pad(t0, graph.ints([0, 0, 1, 1, 0, 0, 1, 1])), graph.constant(t1))"),
    (IMAGE, "onnx.Conv(onnx.Pad(t0, graph.ints([0, 0, 1, 0, 0, 0, 0, 2]), graph.number(t0, 0)), "
            "graph.constant(t1), pads=[0, 1, 1, 0])"),
    (IMAGE, "onnx.Conv(onnx.Pad(t0, graph.ints([0, 0, 1, 1, 0, 0, 1, 1]), graph.number(t0, 1)), graph.constant(t1))"),
    ("1,2,5,5", "onnx.MaxPool(onnx.Pad(t0, graph.ints([0, 0, 1, 1, 0, 0, 1, 1])), kernel_shape=[3, 3])"),
    ("1,2,5,5", "onnx.AveragePool(onnx.Pad(t0, graph.ints([0, 0, 1, 1, 0, 0, 1, 1])), kernel_shape=[3, 3])"),
    ("1,2,5,5", "onnx.AveragePool(onnx.Pad(t0, graph.ints([0, 0, 1, 1, 0, 0, 1, 1])), kernel_shape=[3, 3], "
                "count_include_pad=1)"),
    ("1,16,7,7 32,16,3,3 32", "onnx.Relu(onnx.Conv(t0, graph.constant(t1), graph.constant(t2), pads=[1, 1, 1, 1]))"),
    ("1,16,7,7 16,16,3,3", "onnx.Add(onnx.Conv(t0, graph.constant(t1), pads=[1, 1, 1, 1]), t0)"),
    ("1,16,7,7 16,16,3,3", "onnx.MaxPool(onnx.Conv(t0, graph.constant(t1)), kernel_shape=[2, 2], strides=[2, 2])"),
    ("1,16,7,7 16,16,3,3", "onnx.GlobalAveragePool(onnx.Conv(t0, graph.constant(t1)))"),
    ("1,16,7,7 16,16,3,3", "onnx.AveragePool(onnx.Conv(t0, graph.constant(t1)), kernel_shape=[3, 3], "
                           "pads=[1, 1, 1, 1])"),
    ("1,16,7,7 16,1,3,3", "onnx.Conv(t0, graph.constant(t1), group=16, dilations=[2, 2])"),
    ("1,16,7,7 16,16,3,3", "onnx.Concat(onnx.Conv(t0, graph.constant(t1)), onnx.Conv(t0, graph.constant(t1)), axis=1)"),
    ("1,16,7,7 16,16,3,3", "onnx.Resize(onnx.Conv(t0, graph.constant(t1)), None, "
                           "graph.fill('float32', [4], 1), mode='nearest')"),
    ("1,16,7,7 16,16,3,3" + STATS.replace("4", "16"), BN.format(x="onnx.Conv(t0, graph.constant(t1))")),
    # norms and activations: LayerNormFusion, SkipLayerNormFusion, GeluFusion, BiasGeluFusion, QuickGelu, …
    ("2,8", gelu("t0")),
    ("2,8", gelu("t0", "1.5")),
    ("2,8", gelu("graph.opset(t0, 20)")),
    ("2,8", "onnx.Gelu(graph.opset(t0, 20), approximate='tanh')"),
    ("2,8", gelu("t0") .replace("onnx.Mul(t0, graph.number(t0, 0.5))", "onnx.Mul(graph.number(t0, 0.5), t0)")),
    ("2,8", "onnx.Mul(t0, onnx.Mul(onnx.Add(onnx.Erf(onnx.Div(t0, graph.number(t0, 1.4142135381698608))), "
            "graph.number(t0, 1)), graph.number(t0, 0.5)))"),
    ("2,8", "onnx.Mul(onnx.Mul(t0, onnx.Add(onnx.Erf(onnx.Div(t0, graph.number(t0, 1.4142135381698608))), "
            "graph.number(t0, 1))), graph.number(t0, 0.5))"),
    ("2,8 8", gelu("onnx.Add(t0, graph.constant(t1))")),
    ("2,8 8", "microsoft.Gelu(onnx.Add(t0, graph.constant(t1)))"),
    ("2,8 8", "microsoft.FastGelu(onnx.Add(t0, graph.constant(t1)))"),
    ("2,4 4,8 8", "microsoft.FastGelu(onnx.Add(onnx.MatMul(t0, graph.constant(t1)), graph.constant(t2)))"),
    ("2,8", TANH.format(x="t0")),
    ("2,8", "onnx.Mul(t0, onnx.Sigmoid(t0))"),
    ("2,8", "onnx.Mul(t0, onnx.Sigmoid(onnx.Mul(t0, graph.number(t0, 1.702))))"),
    ("2,8", "onnx.Mul(onnx.Sigmoid(onnx.Mul(t0, graph.number(t0, -2))), t0)"),
    ("2,3,8 8 8", norm("t0")),
    ("2,3,8 8 8", norm("t0", scale="t1", bias="t2")),
    ("2,3,8 3,8 3,8", norm("t0", axis="1, 2")),
    ("2,3,8 3,1 3,1", norm("t0", axis="1")),
    ("2,8 8 8", norm("t0", epsilon="1e-30")),
    ("2,3,8 8 8 2,3,8", norm("onnx.Add(t0, t3)")),
    ("2,3,8 8 8", norm("onnx.Cast(t0, to=11)").replace("graph.number(t0", "graph.number('float64'")
        .replace("graph.constant(t1)", "onnx.Cast(graph.constant(t1), to=11)")
        .replace("graph.constant(t2)", "onnx.Cast(graph.constant(t2), to=11)")),
    ("2,3,8 8", RMS.format(x="t0", scale="graph.constant(t1)")),
    ("2,3,8 8", RMS.format(x="t0", scale="t1")),
    ("2,3,8 8 8", norm("onnx.Neg(t0)")),
    ("2,3,8 8 2,3,8", RMS.format(x="onnx.Add(t0, t2)", scale="graph.constant(t1)")),
    ("2,3,8 2,3,8 8 8", "onnx.LayerNormalization(onnx.Add(t0, t1), graph.constant(t2), graph.constant(t3), axis=-1)"),
    ("2,3,8 2,3,8 8 8 8", "onnx.LayerNormalization(onnx.Add(onnx.Add(t0, graph.constant(t4)), t1), "
                          "graph.constant(t2), graph.constant(t3), axis=-1)"),
    ("2,3,8 2,3,8 8 8", "onnx.LayerNormalization(onnx.Add(t0, t1), t2, t3, axis=1)"),
    ("2,3,8 8,8 8 2,3,8 8 8", "microsoft.SkipLayerNormalization(onnx.Add(onnx.MatMul(t0, graph.constant(t1)), "
                              "graph.constant(t2)), t3, graph.constant(t4), graph.constant(t5))"),
    ("2,3 3", "onnx.Softmax(onnx.Add(t0, graph.constant(t1)), axis=-1)"),
    # shapes: ReshapeFusion, TransposeOptimizer, GatherToSliceFusion, GatherSliceToSplitFusion, space to depth
    ("2,3,4", "onnx.Transpose(onnx.Transpose(t0, perm=[2, 0, 1]), perm=[1, 2, 0])"),
    ("2,3,4", "onnx.Transpose(onnx.Relu(onnx.Transpose(t0, perm=[2, 0, 1])), perm=[1, 2, 0])"),
    ("2,3,4", "onnx.Transpose(onnx.Relu(onnx.Transpose(t0, perm=[2, 0, 1])), perm=[2, 0, 1])"),
    ("2,3,4 4,2,3", "onnx.Transpose(onnx.Add(onnx.Transpose(t0, perm=[2, 0, 1]), t1), perm=[1, 2, 0])"),
    ("2,3,4", "onnx.ReduceSum(onnx.Transpose(t0, perm=[2, 0, 1]), graph.ints([1]))"),
    ("2,3,4", "onnx.Softmax(onnx.Transpose(t0, perm=[2, 0, 1]), axis=1)"),
    ("2,3,4", "onnx.ArgMax(onnx.Transpose(t0, perm=[2, 0, 1]), axis=1, keepdims=0)"),
    ("2,3,4", "onnx.Transpose(onnx.Concat(onnx.Transpose(t0, perm=[2, 0, 1]), onnx.Transpose(t0, perm=[2, 0, 1]), "
              "axis=1), perm=[1, 2, 0])"),
    ("2,3,4", "onnx.Transpose(onnx.Pad(onnx.Transpose(t0, perm=[2, 0, 1]), graph.ints([1, 0, 0, 0, 2, 0])), "
              "perm=[1, 2, 0])"),
    ("2,3,4", "onnx.Transpose(onnx.Slice(onnx.Transpose(t0, perm=[2, 0, 1]), graph.ints([1]), graph.ints([3]), "
              "graph.ints([0])), perm=[1, 2, 0])"),
    ("2,3,4", "onnx.Squeeze(onnx.Transpose(onnx.Unsqueeze(t0, graph.ints([1])), perm=[1, 3, 0, 2]), graph.ints([0]))"),
    ("2,3,4", "onnx.Transpose(onnx.Split(onnx.Transpose(t0, perm=[2, 0, 1]), graph.ints([1, 3]), axis=0, "
              "outputs=2)[1], perm=[1, 2, 0])"),
    ("1,3,4,4 2,3,3,3", "onnx.Transpose(onnx.Conv(onnx.Transpose(onnx.Transpose(t0, perm=[0, 2, 3, 1]), "
                        "perm=[0, 3, 1, 2]), graph.constant(t1)), perm=[0, 2, 3, 1])"),
    ("2,6", "onnx.Reshape(onnx.Reshape(t0, graph.ints([3, 4])), graph.ints([4, 3]))"),
    ("2,6", "onnx.Reshape(onnx.Transpose(onnx.Reshape(t0, graph.ints([2, 3, 2])), perm=[0, 2, 1]), graph.ints([-1]))"),
    ("3,4", "onnx.Gather(t0, graph.ints([1]), axis=0)"),
    ("3,4", "onnx.Relu(onnx.Gather(t0, onnx.Range(graph.number('int64', 0), graph.number('int64', 2), "
            "graph.number('int64', 1)), axis=1))"),
    ("3,4,2", "onnx.Concat(onnx.Gather(t0, graph.number('int64', 0), axis=1), onnx.Gather(t0, "
              "graph.number('int64', 1), axis=1), onnx.Gather(t0, graph.number('int64', 2), axis=1), "
              "onnx.Gather(t0, graph.number('int64', 3), axis=1), axis=0)"),
    ("3,3,2", "onnx.Concat(onnx.Relu(onnx.Gather(t0, graph.number('int64', 0))), onnx.Relu(onnx.Gather(t0, "
              "graph.number('int64', 1))), onnx.Squeeze(onnx.Slice(t0, graph.ints([2]), graph.ints([3]), "
              "graph.ints([0])), graph.ints([0])), axis=0)"),
    ("1,2,4,4", "onnx.Concat(" + ", ".join(
        f"onnx.Slice(onnx.Slice(t0, graph.ints([{i}]), graph.ints([9223372036854775807]), graph.ints([2]), "
        f"graph.ints([2])), graph.ints([{j}]), graph.ints([9223372036854775807]), graph.ints([3]), graph.ints([2]))"
        for j in (0, 1) for i in (0, 1)) + ", axis=1)"),
    ("1,2,4,4", "onnx.Concat(" + ", ".join(
        f"onnx.Slice(t0, graph.ints([{i}, {j}]), graph.ints([4, 4]), graph.ints([2, 3]), graph.ints([2, 2]))"
        for j in (0, 1) for i in (0, 1)) + ", axis=1)"),
    # whole numbers and types of few bits: QDQSelectorActionTransformer, MatMulIntegerToFloatFusion, …
    ("2,8", f"onnx.Relu({qdq('t0')})"),
    ("2,8", qdq(qdq("t0"))),
    ("2,8", qdq(qdq("t0"), 0.1, 5)),
    ("2,8", qdq(f"onnx.Relu({qdq('t0')})", 0.05, 0)),
    ("2,8", qdq(f"onnx.Relu({qdq('t0', 0.05, 0, 'int8')})", 0.05, -128, "int8")),
    ("2,8", qdq(f"onnx.Clip({qdq('t0')}, graph.number('float32', 0), graph.number('float32', 6))", 0.02, 0)),
    ("2,8", qdq(f"onnx.Sigmoid({qdq('t0')})", 0.004, 0)),
    ("2,8 2,8", qdq(f"onnx.Add({qdq('t0')}, {qdq('t1')})", 0.13)),
    ("2,8 2,8", qdq(f"onnx.Mul({qdq('t0')}, {qdq('t1')})", 0.13)),
    ("2,8 2,8", qdq(f"onnx.Concat({qdq('t0')}, {qdq('t1')}, axis=0)")),
    ("2,8 8,4", qdq(f"onnx.MatMul({qdq('t0')}, {qdq('t1')})", 0.2)),
    ("2,8 8,4", f"onnx.MatMul({qdq('t0')}, {qdq('t1')})"),
    ("2,8 8,4 4", qdq(f"onnx.Gemm({qdq('t0')}, {qdq('t1')}, graph.constant(t2))", 0.2)),
    ("1,2,5,5 4,2,3,3", qdq(f"onnx.Conv({qdq('t0')}, {qdq('t1', 0.02, 0, 'int8')})", 0.2)),
    ("1,2,5,5", qdq(f"onnx.MaxPool({qdq('t0')}, kernel_shape=[2, 2])")),
    ("1,2,5,5", qdq(f"onnx.AveragePool({qdq('t0')}, kernel_shape=[2, 2])", 0.07)),
    ("2,8", qdq(f"onnx.Transpose({qdq('t0')}, perm=[1, 0])")),
    ("2,8", qdq(f"onnx.Reshape({qdq('t0')}, graph.ints([4, 4]))")),
    ("2,8", qdq(f"onnx.Softmax({qdq('t0')}, axis=1)", 0.004, 0)),
    ("2,8:float32 2,8", qdq(f"onnx.Where(onnx.Less(t0, t1), {qdq('t0')}, {qdq('t1')})")),
    ("2,8:uint8 8,4:uint8", "onnx.Mul(onnx.Cast(onnx.MatMulInteger(t0, graph.constant(t1)), to=1), "
                            "graph.number('float32', 0.5))"),
    ("2,8:uint8 8,4:int8 4", "onnx.Add(onnx.Mul(onnx.Cast(onnx.MatMulInteger(t0, graph.constant(t1)), to=1), "
                             "graph.number('float32', 0.5)), graph.constant(t2))"),
    ("2,8 8,4:uint8", "onnx.Mul(onnx.Cast(onnx.MatMulInteger(onnx.DynamicQuantizeLinear(t0, outputs=3)[0], "
                      "graph.constant(t1)), to=1), graph.number('float32', 0.5))"),
    ("2,8 8,4:uint8", "onnx.Relu(microsoft.MatMulIntegerToFloat(onnx.DynamicQuantizeLinear(t0, outputs=3)[0], "
                      "graph.constant(t1), onnx.DynamicQuantizeLinear(t0, outputs=3)[1], "
                      "graph.number('float32', 0.5), onnx.DynamicQuantizeLinear(t0, outputs=3)[2]))"),
    ("2,8 8,4:uint8", "onnx.Relu(onnx.Mul(onnx.Cast(onnx.MatMulInteger(onnx.DynamicQuantizeLinear(t0, outputs=3)[0], "
                      "graph.constant(t1), onnx.DynamicQuantizeLinear(t0, outputs=3)[2]), to=1), onnx.Mul("
                      "onnx.DynamicQuantizeLinear(t0, outputs=3)[1], graph.number('float32', 0.5))))"),
    ("1,16,7,7:uint8 16,16,3,3:int8", "onnx.QLinearConv(t0, graph.number('float32', 0.1), graph.number('uint8', 3), "
                                      "graph.constant(t1), graph.number('float32', 0.02), graph.number('int8', 0), "
                                      "graph.number('float32', 0.3), graph.number('uint8', 1))"),
    ("2,8", f"onnx.Relu(onnx.Reshape({qdq('t0')}, graph.ints([4, 4])))"),
    ("2,8", qdq("onnx.Reshape(onnx.Relu(t0), graph.ints([4, 4]))")),
    ("2,8:uint8 8,4:uint8", "onnx.QLinearMatMul(t0, graph.number('float32', 0.1), graph.number('uint8', 3), t1, "
                            "graph.number('float32', 0.2), graph.number('uint8', 2), graph.number('float32', 0.3), "
                            "graph.number('uint8', 1))"),
    ("2,8 4,8:int8", "onnx.MatMul(t0, onnx.Transpose(onnx.DequantizeLinear(graph.constant(t1), "
                     "graph.number('float32', 0.1), graph.number('int8', 0)), perm=[1, 0]))"),
]


def graphs():
    """Pairs of a name, that of the outermost node, and a form."""
    return written.forms(GRAPHS)
