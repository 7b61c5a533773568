"""
title: Of two Clips whose ranges do not meet, the result is the upper end of the first, not the lower end of the second.
library: onnxscript
shows: 0.7.2
since: 0.3.2
class: bug
condition: the second range lies above the first; rule of successive Clips.
rule: ONNX Clip-13: what is below min becomes min; the second Clip has the last word.
documented: data/quirks.tsv, Clip
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[3] x) => (float[3] y) <float a = {-1}, float b = {%g}, float c = {2}, float d = {3}> "
        "{ t = Clip(x, a, b) y = Clip(t, c, d) }")
X = [-5, 0, 5]

wrong("-1 to 1, then 2 to 3", call(TEXT % 1, X), [2, 2, 2], seen=[1, 1, 1])
right("-1 to 4, then 2 to 3", call(TEXT % 4, X), [2, 2, 3])
verdict()
