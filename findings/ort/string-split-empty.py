"""
title: StringSplit of an empty string with a delimiter returns 0 parts; one empty part is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: The string is empty and a delimiter is given.
rule: ONNX StringSplit-20 refers to Python's str.split: "".split(",") is [""].
documented: data/quirks.tsv, StringSplit
tracker: none found
"""
import numpy as np

from library import model, right, run, verdict, wrong


def split(text):
    m = model('(string[1] x) => (string[1,k] y, int64[1] n) { y, n = StringSplit<delimiter = ",">(x) }', opset=20, ir=9)
    return lambda: run(m, np.array([text], object))


wrong("an empty string", split(""), ([""], [1]), seen=([], [0]))
right("a string without the delimiter", split("a"), (["a"], [1]))
right("the delimiter alone", split(","), (["", ""], [2]))
verdict()
