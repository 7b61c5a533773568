"""
title: Two reductions of which the first drops its axis and the second keeps it become one that keeps both.
library: onnxsim
shows: 0.8.1
class: bug
condition: keepdims is 0 in the first and 1 in the second, one kind of reduction; pass fuse_consecutive_reduce.
rule: ONNX ReduceMax: with keepdims 0 the reduced axis is gone, so that the second one returns a tensor of a lower rank.
documented: docs/campaign.md, Rewriters and engines
tracker: none found; https://github.com/onnxsim/onnxsim/pull/1028 adds the pass
"""
from library import array, call, right, verdict, wrong

TEXT = ("(float[1, 2, 2] x) => (float[%s] y) <int64[1] a = {-1}> "
        "{ t = ReduceMax<keepdims = 0>(x, a) y = ReduceMax<keepdims = %d>(t, a) }")
X = [[[1, 2], [3, 4]]]

wrong("kept by the second alone", call(TEXT % ("1, 1", 1), X, opset=18), array((1, 1), [4]), seen=array((1, 1, 1), [4]))
right("kept by none", call(TEXT % ("1", 0), X, opset=18), array((1,), [4]))
verdict()
