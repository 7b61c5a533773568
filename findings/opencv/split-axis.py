"""
title: Split without axis splits along the second axis; axis is 0 when it is left out.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, a Split whose axis is left out.  With axis = 0 it is right.
rule: ONNX Split-18, attribute axis: the default is 0.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import array, call, right, verdict, wrong


def split(attributes, shape="1,4"):
    return call("(float[2,4] x) => (float[%s] y, float[%s] z) { y, z = Split<%s>(x) }" % (shape, shape, attributes),
                range(8), opset=18)


ROWS = (array([1, 4], [0, 1, 2, 3]), array([1, 4], [4, 5, 6, 7]))
COLUMNS = (array([2, 2], [0, 1, 4, 5]), array([2, 2], [2, 3, 6, 7]))
wrong("axis left out", split("num_outputs = 2"), ROWS, seen=COLUMNS)
right("axis 0", split("num_outputs = 2, axis = 0"), ROWS)
right("axis 1", split("num_outputs = 2, axis = 1", "2,2"), COLUMNS)
verdict()
