"""
title: A Loop that never runs is refused when it has a scan output.
library: rten
shows: 0.27.0
class: bug
condition: The condition is false at first, or the trip count 0, and the body has an output that is collected.
rule: ONNX Loop-16: K scan outputs, which have as many entries as there were iterations, none here.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

LOOP = """(float[1] x) => (float[1] y, float[A,1] z) <int64 m = {%d}, bool c = {1}> { y, z = Loop<
          body = b (int64 i, bool ci, float[1] a) => (bool co, float[1] ao, float[1] s)
          { ao = Add(a, a) s = Neg(a) co = Identity(ci) }>(m, c, x) }"""
wrong("never", call(LOOP % 0, [3], opset=16), ([3], []), seen=Refused("returned 1 outputs but expected 2"))
right("once", call(LOOP % 1, [3], opset=16), ([6], [-3]))
verdict()
