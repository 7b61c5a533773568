"""
title: A Cast to float16 in front of Neg, Relu, Add or Sqrt, and a Cast back, do not round: 1.0001 and 70000 come out as
    they were; 1 and infinity are right.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Between the Casts are operators without a kernel of float16 on this processor: the library puts Casts to
    float32 around them, and takes away the pair that those make with the model's own.  So it is without optimization,
    too.  Two Casts alone, and Identity between them, round.
rule: ONNX Cast-13: the elements become ones of the type that `to` names, in which 1.0001 does not exist; from floating
    point to floating point it is "+/- infinity if OOR (out of range)".
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/8787 (closed; of two Casts alone, which are right now)
found: fuzz
"""
from library import NONE, model, right, run, verdict, wrong


def through(node, *x, **options):
    m = model("(float[%d] x) => (float[%d] y) { a = Cast<to = 10>(x) %s y = Cast<to = 1>(%s) }"
              % (len(x), len(x), node and "b = " + node, "b" if node else "a"))
    return lambda: run(m, x, **options)


inf = float("inf")
wrong("Relu", through("Relu(a)", 1.0001, 70000), [1, inf], seen=[1.0001, 70000])
wrong("Neg", through("Neg(a)", 1.0001, 70000), [-1, -inf], seen=[-1.0001, -70000])
wrong("Neg, not optimized", through("Neg(a)", 1.0001, 70000, level=NONE), [-1, -inf], seen=[-1.0001, -70000])
wrong("Add", through("Add(a, a)", 1.0001), [2], seen=[2.0002])
right("Casts alone", through("", 1.0001, 70000), [1, inf])
right("Identity", through("Identity(a)", 1.0001, 70000), [1, inf])
verdict()
