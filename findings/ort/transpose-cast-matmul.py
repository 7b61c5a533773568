"""
title: Transpose and Cast in front of MatMul kill the process (SIGSEGV); it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: MatMul's first input, three axes, a perm that takes the first axis to the middle or the end and another to
    the
    first place ([1,0,2], [1,2,0]), a Cast of any type to float, optimized as by default.  [1,0], [0,2,1] and [2,1,0],
    the second input, and no Cast are right.
rule: ONNX Transpose-13, Cast-13 and MatMul-13.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import NONE, Died, model, right, run, verdict, wrong


def product(perm, kind="int64", shape=(2, 3, 4), **options):
    a = np.arange(np.prod(shape)).reshape(shape)
    moved = a.transpose(perm)
    b = np.arange(moved.shape[-1] * 2).reshape(-1, 2)
    m = model("(%s%s a, float%s b) => (float%s y) { t = Transpose<perm = %s>(a) c = Cast<to = 1>(t) y = MatMul(c, b) }"
              % (kind, list(shape), list(b.shape), list((moved @ b).shape), list(perm)))
    return (lambda: run(m, a, b, **options)), (moved @ b).astype(np.float32)


wrong("[1,0,2] from int64", *product((1, 0, 2)), seen=Died("SIGSEGV"))
wrong("[1,0,2] from float64", *product((1, 0, 2), "double"), seen=Died("SIGSEGV"))
wrong("[1,2,0] from int64", *product((1, 2, 0)), seen=Died("SIGSEGV"))
right("[1,0,2] from int64, not optimized", *product((1, 0, 2), level=NONE))
right("[0,2,1] from int64", *product((0, 2, 1)))
right("[2,1,0] from int64", *product((2, 1, 0)))
right("[1,0] from int64", *product((1, 0), shape=(3, 4)))
verdict()
