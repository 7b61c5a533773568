"""
title: RotaryEmbedding and Attention with constant operands are refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: cos_cache and sin_cache, or K and V, are constants of the model, as caches are in exported models: "at least
    three inputs are required".  As inputs of the graph they are right.
rule: ONNX RotaryEmbedding-23 and Attention-23: any tensor of the type may be an input.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong

ROTATE = "(float[1,1,2] x%s) => (float[1,1,2] y) %s { y = RotaryEmbedding<num_heads = 1>(x, c, s) }"
ATTEND = "(float[1,1,1,1] q%s) => (float[1,1,1,1] y) %s { y = Attention(q, k, v) }"
turned = array([1, 1, 2], [-2, 1])
wrong("constant caches", call(ROTATE % ("", "<float[1,1,1] c = {0}, float[1,1,1] s = {1}>"), [1, 2], opset=23), turned,
      seen=Refused())
wrong("constant K and V", call(ATTEND % ("", "<float[1,1,1,1] k = {1}, float[1,1,1,1] v = {5}>"), [1], opset=23),
      array([1, 1, 1, 1], [5]), seen=Refused())
right("caches as inputs", call(ROTATE % (", float[1,1,1] c, float[1,1,1] s", ""), [1, 2], [0], [1], opset=23), turned)
right("K and V as inputs", call(ATTEND % (", float[1,1,1,1] k, float[1,1,1,1] v", ""), [1], [1], [5], opset=23),
      array([1, 1, 1, 1], [5]))
verdict()
