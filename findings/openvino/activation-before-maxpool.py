"""
title: Abs, Gelu, HardSwish, Mish, and Elu or LeakyRelu with a negative slope, behind a Conv and a MaxPool are computed
    before the pool.
library: openvino
shows: 2026.4.1
class: bug
condition: A Conv, a MaxPool and a function that falls somewhere, in this order: the function is computed behind the
    Conv, and the largest of its values is taken.  Functions that only rise are right, and so are others without the
    Conv, and behind an AveragePool.
rule: ONNX: a node reads what the node before it makes; MaxPool-12, Abs-13, Gelu-20, HardSwish-14, Mish-18, Elu-6,
    LeakyRelu-6, PRelu-9.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: search
"""
import math

from library import model, right, run, verdict, wrong

X = [2, -1, -4]


def net(function, pool="MaxPool", x="Conv(x, w)"):
    m = model("""(float[1,1,1,3] x) => (float[1,1,1,2] y) <float[1,1,1,1] w = {1}, float[1] slope = {-0.5}>
        { c = %s p = %s<kernel_shape = [1, 2]>(c) y = %s }""" % (x, pool, function), opset=20)
    return lambda: run(m, X)


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def mish(x):
    return x * math.tanh(math.log(1 + math.exp(x)))


def hard_swish(x):
    return x * max(0, min(1, x / 6 + 0.5))


def elu(x):
    return x if x > 0 else -0.5 * (math.exp(x) - 1)


def leaky(x):
    return x if x > 0 else -0.5 * x


FALLING = (("Abs(p)", abs), ("Gelu(p)", gelu), ("Mish(p)", mish), ("HardSwish(p)", hard_swish),
           ("Elu<alpha = -0.5>(p)", elu), ("LeakyRelu<alpha = -0.5>(p)", leaky), ("PRelu(p, slope)", leaky))
for text, f in FALLING:
    before = [max(f(X[0]), f(X[1])), max(f(X[1]), f(X[2]))]
    wrong(text, net(text), [f(2), f(-1)], seen=before)
right("Tanh(p)", net("Tanh(p)"), [math.tanh(2), math.tanh(-1)])
right("Abs(p), no Conv", net("Abs(p)", x="Add(x, x)"), [4, 2])
right("Gelu(p), no Conv", net("Gelu(p)", x="Add(x, x)"), [gelu(4), gelu(-2)])
right("Abs(p), AveragePool", net("Abs(p)", "AveragePool"), [0.5, 2.5])
verdict()
