"""
title: StringSplit without a delimiter splits at blanks alone; "a\\tb" must become two parts.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: The delimiter is left out, and the string has white space other than blanks (tab, line feed).
rule: ONNX StringSplit-20: without a delimiter the string is split "on consecutive whitespace".
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import model, right, run, verdict, wrong


def split(text):
    m = model("(string[1] x) => (string[1,k] y, int64[1] n) { y, n = StringSplit(x) }", opset=20, ir=9)
    return lambda: run(m, np.array([text], object))


wrong("a tab", split("a\tb"), (["a", "b"], [2]), seen=(["a\tb"], [1]))
wrong("a line feed", split("a\nb"), (["a", "b"], [2]), seen=(["a\nb"], [1]))
right("two blanks", split("a  b"), (["a", "b"], [2]))
verdict()
