"""
title: The casts of a model that has no operator of ONNX's own domain are of a domain that it does not import.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; the model imports ai.onnx.ml alone, say.
rule: ONNX IR: a model must import the domain of every operator in it.
documented: data/quirks.tsv, ai.onnx.ml:Binarizer
tracker: none found
"""
from library import Refused, float16, right, verdict, wrong

import onnx

TEXT = ('<ir_version: 8, opset_import: [%s"ai.onnx.ml" : 1]> g (float[2] x) => (float[2] y) '
        '{ y = ai.onnx.ml.Binarizer <threshold = 1.5> (x) }')


def converted(more):
    m = onnx.parser.parse_model(TEXT % more)

    def run():
        written = float16.convert_float_to_float16(m, keep_io_types=True)
        onnx.checker.check_model(written)
        return len(written.graph.node)

    return run


wrong("ai.onnx.ml alone", converted(""), 2, seen=Refused("No opset import"))
right("both", converted('"" : 13, '), 2)
verdict()
