"""
title: LabelEncoder of version 2 does not find a key that is NaN; the value of that key is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: ai.onnx.ml 2 or 3.  Version 4 is right.
rule: ONNX ai.onnx.ml LabelEncoder-2: keys are compared bit by bit, "so that NaN" finds NaN.
documented: data/quirks.tsv, LabelEncoder
tracker: https://github.com/microsoft/onnxruntime/issues/6681
"""
from onnx import helper

from library import model, right, run, verdict, wrong

NAN = float("nan")


def encode(version):
    m = model("(float[3] x) => (int64[3] y) "
              "{ y = ai.onnx.ml.LabelEncoder<values_int64s = [5, 6], default_int64 = -1>(x) }",
              ml=version, check=False)
    m.graph.node[0].attribute.append(helper.make_attribute("keys_floats", [NAN, 1.0]))
    return lambda: run(m, [NAN, 1, 2])


wrong("version 2", encode(2), [5, 6, -1], seen=[-1, 6, -1])
right("version 4", encode(4), [5, 6, -1])
verdict()
