"""
title: ReverseSequence with a negative axis, and MeanVarianceNormalization with an axis that is not there, are run; they
    must be refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: ReverseSequence reads a negative time_axis as 1 beside a batch_axis of 1, and a negative batch_axis as 1;
    axes of 2 and more, and the same axis twice, are refused.  MeanVarianceNormalization leaves out an axis that is not
    there, below -r or from r on.
rule: ONNX ReverseSequence-10: time_axis and batch_axis "Must be one of 0 (default), or 1" and "1 (default), or 0";
    MeanVarianceNormalization-13, attribute axes: the axes "along which to reduce", of which a tensor has r.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def node(inputs, text, *values):
    m = model("(%s) => (float y) { y = %s }" % (inputs, text), check=False)
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return lambda: run(m, *values)


def reverse(time, batch):
    return node("float[2,2] x, int64[2] w", "ReverseSequence<time_axis = %d, batch_axis = %d>(x, w)" % (time, batch),
                [1, 2, 3, 4], [2, 2])


def normalized(*axes):
    return node("float[1,1,2,2] x", "MeanVarianceNormalization<axes = %s>(x)" % list(axes), [1, 2, 3, 4])


for axis in (-1, -1000):
    wrong("ReverseSequence, time_axis %d" % axis, reverse(axis, 1), Refused())
    wrong("ReverseSequence, batch_axis %d" % axis, reverse(0, axis), Refused(), seen=[3, 4, 1, 2])
right("ReverseSequence, time_axis 2", reverse(2, 0), Refused())
right("ReverseSequence, both axes 1", reverse(1, 1), Refused())
right("ReverseSequence, axes 0 and 1", reverse(0, 1), [3, 4, 1, 2])
for axis in (-1000, -5, 4):
    wrong("MeanVarianceNormalization, axis %d" % axis, normalized(0, 2, axis), Refused(), seen=[-1, -1, 1, 1])
right("MeanVarianceNormalization, axes 0 and 2", normalized(0, 2), [-1, -1, 1, 1])
verdict()
