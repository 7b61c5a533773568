"""
title: Resize with axes and constant scales is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, axes, scales that are a constant; it ends in an assertion about the number of inputs.
    Scales that come in as an input are right.
rule: ONNX Resize-18, attribute axes: scales are given for these axes.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong

GRAPH = "(float[1,1,1,2] x%s) => (float[1,1,A,B] y) %s { y = Resize<mode = \"nearest\", axes = [2, 3]>(x, , s) }"
doubled = array([1, 1, 1, 4], [1, 1, 2, 2])
wrong("a constant", call(GRAPH % ("", "<float[2] s = {1, 2}>"), [1, 2], opset=18), doubled,
      seen=Refused("ninputs"))
right("an input", call(GRAPH % (", float[2] s", ""), [1, 2], [1, 2], opset=18), doubled)
verdict()
