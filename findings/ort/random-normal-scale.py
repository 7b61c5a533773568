"""
title: RandomNormal and RandomNormalLike with scale 0 kill the process (SIGABRT); the mean is right, or a refusal.
library: onnxruntime
shows: 1.31.1
class: bug
condition: scale is 0 or negative.  A scale of 1e-30 gives the mean.
rule: ONNX RandomNormal-1 and RandomNormalLike-1: scale is "the standard deviation of the normal distribution"; with
    none all numbers are the mean.  A negative one is no standard deviation, and has to be refused.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, model, right, run, verdict, wrong


def normal(scale):
    m = model("(float[1] x) => (float[2] y) { y = RandomNormal<shape = [2], mean = 3.0, scale = %s>() }" % scale,
              opset=21)
    return lambda: run(m, [0])


def normal_like(scale):
    m = model("(float[2] x) => (float[2] y) { y = RandomNormalLike<mean = 3.0, scale = %s>(x) }" % scale, opset=21)
    return lambda: run(m, [0, 0])


dies = Died("SIGABRT")
wrong("RandomNormal, scale 0", normal("0.0"), [3, 3], seen=dies)
wrong("RandomNormalLike, scale 0", normal_like("0.0"), [3, 3], seen=dies)
wrong("RandomNormalLike, scale -1", normal_like("-1.0"), Refused(), seen=dies)
right("RandomNormal, scale 1e-30", normal("1e-30"), [3, 3])
right("RandomNormalLike, scale 1e-30", normal_like("1e-30"), [3, 3])
verdict()
