"""
title: A node whose required input is left out kills the process (SIGSEGV).
library: onnx
shows: 1.23.2
class: bug
condition: EyeLike with dtype, RegexFullMatch, and ai.onnx.ml's LabelEncoder, DictVectorizer and TreeEnsemble, the name
    of the input empty.  The converter infers shapes, and these look at the type of an input that is not there;
    onnx.shape_inference.infer_shapes alone dies in the same way, and so do rewriters that call it.  Other operators of
    such a kind, such as Neg, are left without a shape.
rule: ONNX IR, "Optional Inputs and Outputs": an empty name stands for an input that is left out, which only optional
    ones may be; these are not optional.  A model that is not valid must not end the process.
documented: docs/campaign.md, Invalid models for rewriters and compilers
tracker: none found
found: fuzz
"""
from onnx import version_converter

from library import Died, Refused, model, right, verdict, wrong

LABELS = "ai.onnx.ml.LabelEncoder<keys_int64s = [0, 1], values_floats = [0.5, 2.0]>(%s)"
TREE = "ai.onnx.ml.TreeEnsemble<nodes_splits = float[1] {0.5}>(%s)"


def converted(node, kind="float"):
    """Nothing but that it ends: a model that is not valid may be refused, or written as it is."""
    m = model("(%s[2,2] x) => (float[2,2] y) { y = %s }" % (kind, node), opset=21, ml=5, check=False)

    def run():
        version_converter.convert_version(m, 22)
        raise ValueError("it ends")

    return run


for name, node in (("EyeLike", "EyeLike<dtype = 1>(%s)"), ("RegexFullMatch", "RegexFullMatch<pattern = \"a\">(%s)"),
                   ("LabelEncoder", LABELS), ("DictVectorizer", "ai.onnx.ml.DictVectorizer(%s)"),
                   ("TreeEnsemble", TREE)):
    wrong(name, converted(node % '""'), Refused(), seen=Died("SIGSEGV"))
right("Neg", converted('Neg("")'), Refused())
right("EyeLike with its input", converted("EyeLike<dtype = 1>(x)"), Refused())
right("LabelEncoder with its input", converted(LABELS % "x", "int64"), Refused())
verdict()
