"""
title: The classic engine's AveragePool ignores count_include_pad.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, count_include_pad = 1 and pads.  The new engine is right.
rule: ONNX AveragePool-11, attribute count_include_pad: whether padding counts.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = """(float[1,1,1,3] x) => (float[1,1,1,3] y)
    { y = AveragePool<kernel_shape = [1,3], pads = [0,1,0,1], count_include_pad = 1>(x) }"""

wrong("the classic engine", call(TEXT, [3, 6, 9], engine=1), [3, 6, 5], seen=[4.5, 6, 7.5])
right("the new engine", call(TEXT, [3, 6, 9]), [3, 6, 5])
verdict()
