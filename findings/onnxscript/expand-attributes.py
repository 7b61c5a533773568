"""
title: Mod and BitShift lose their attributes to the rules that take away what broadcasts an operand.
library: onnxscript
shows: 0.7.2
class: bug
condition: expand_before_binary_op_rules, which the caller chooses; Mod with fmod=1 or any BitShift, behind an Expand
    that its other operand makes needless.
rule: ONNX Mod-13: with fmod=1 the result has the sign of the dividend; BitShift-11: direction is required.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, by_rules, right, verdict, wrong

RULES = "expand_before_binary_op_rules"
MOD = ("(int32[2] x) => (int32[2] y) <int32[1] d = {3}, int64[1] s = {2}> "
       "{ e = Expand(d, s) y = Mod%s(x, e) }")
SHIFT = ("(uint8[2] x) => (uint8[2] y) <uint8[1] d = {1}, int64[1] s = {2}> "
         "{ e = Expand(d, s) y = BitShift<direction = \"LEFT\">(x, e) }")
X = [-4, 4]

wrong("Mod, fmod=1", by_rules(RULES, MOD % "<fmod = 1>", X), [-1, 1], seen=[2, 1])
wrong("BitShift", by_rules(RULES, SHIFT, [1, 2]), [2, 4], seen=Refused("'direction' is expected"))
right("Mod, fmod=0", by_rules(RULES, MOD % "", X), [2, 1])
verdict()
