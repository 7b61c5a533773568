"""
title: LinearClassifier and TreeEnsembleClassifier whose labels are strings are refused, also where the graph gives the
    scores alone.
library: tract
shows: 0.23.9
class: limit
condition: classlabels_strings is given.  Labels that are integers are right.
rule: ONNX ai.onnx.ml LinearClassifier-1 and TreeEnsembleClassifier-1, attribute classlabels_strings.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/sonos/tract/issues/64 (closed) asks for TreeEnsembleClassifier, and says that
    what no test covers is left out
"""
from library import Refused, model, right, run, verdict, wrong

LINEAR = "LinearClassifier<coefficients = [1.0, 0.0, 0.0, 1.0], intercepts = [0.0, 0.0], %s>(x)"
TREE = """TreeEnsembleClassifier<nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0],
    nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [1.5, 0.0, 0.0], nodes_truenodeids = [1, 0, 0],
    nodes_falsenodeids = [2, 0, 0], class_treeids = [0, 0], class_nodeids = [1, 2], class_ids = [0, 1],
    class_weights = [1.0, 1.0], %s>(x)"""


def scores(node, labels):
    m = model("(float[1,2] x) => (float[1,2] y) { t, y = ai.onnx.ml.%s }" % (node % labels), ml=1)
    return lambda: run(m, [1, 2])


says = Refused("String doesn't implement")
wrong("LinearClassifier, strings", scores(LINEAR, 'classlabels_strings = ["a", "b"]'), [1, 2], seen=says)
wrong("TreeEnsembleClassifier, strings", scores(TREE, 'classlabels_strings = ["a", "b"]'), [1, 0], seen=says)
right("LinearClassifier, integers", scores(LINEAR, "classlabels_ints = [7, 9]"), [1, 2])
right("TreeEnsembleClassifier, integers", scores(TREE, "classlabels_int64s = [7, 9]"), [1, 0])
verdict()
