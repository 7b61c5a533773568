"""
title: TreeEnsembleClassifier with two classes that both have votes returns the label 1 or 0; the class with the larger
    score is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: Two classes, both with votes: integer labels come out as 1 or 0, and where all weights are positive it is
    always
    the second class, strings too.  Three classes are right.
rule: ONNX ai.onnx.ml TreeEnsembleClassifier-3, output Y: the "top class" of each row.
documented: data/quirks.tsv, TreeEnsembleClassifier
tracker: none found
"""
from library import model, right, run, verdict, wrong


def classify(labels, weights):
    """One tree with two leaves that both vote with these weights."""
    n = len(labels)
    kind, name = ("string", "classlabels_strings") if isinstance(labels[0], str) else ("int64", "classlabels_int64s")
    m = model("""(float[1,1] x) => (%s[1] label, float[1,%d] score) { label, score = ai.onnx.ml.TreeEnsembleClassifier<
        %s = [%s], nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0],
        nodes_values = [0.5, 0.0, 0.0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = [1, 0, 0],
        nodes_falsenodeids = [2, 0, 0], class_treeids = %s, class_nodeids = %s, class_ids = %s,
        class_weights = %s>(x) }"""
              % (kind, n, name, ", ".join('"%s"' % v if kind == "string" else str(v) for v in labels), [0] * 2 * n,
                 [1] * n + [2] * n, list(range(n)) * 2, weights * 2), ml=3)
    return lambda: run(m, [0])


wrong("10 and 20 with 0.8 and 0.2", classify([10, 20], [0.8, 0.2]), ([10], [0.8, 0.2]), seen=([1], [0.8, 0.2]))
wrong("a and b with 0.8 and 0.2", classify(["a", "b"], [0.8, 0.2]), (["a"], [0.8, 0.2]), seen=(["b"], [0.8, 0.2]))
wrong("10 and 20 with 0.8 and -0.2", classify([10, 20], [0.8, -0.2]), ([10], [0.8, -0.2]), seen=([0], [0.8, -0.2]))
right("a and b with 0.8 and -0.2", classify(["a", "b"], [0.8, -0.2]), (["a"], [0.8, -0.2]))
right("10, 20 and 30", classify([10, 20, 30], [0.8, 0.2, 0.1]), ([10], [0.8, 0.2, 0.1]))
verdict()
