"""
title: TreeEnsemble takes post_transform 1 (SOFTMAX) for LOGISTIC and 2 (LOGISTIC) for SOFTMAX, and applies neither with
    one target.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The operator of ai.onnx.ml 5, which has numbers for post_transform.  0 (NONE) and 4 (PROBIT) are right.
rule: ONNX ai.onnx.ml TreeEnsemble-5, attribute post_transform: NONE 0, SOFTMAX 1, LOGISTIC 2, SOFTMAX_ZERO 3, PROBIT 4.
documented: data/quirks.tsv, TreeEnsemble
tracker: https://github.com/microsoft/onnxruntime/issues/26596 is about one target; none found about 1 and 2
"""
from onnx import TensorProto, helper

from library import model, right, run, verdict, wrong


def ensemble(post, targets):
    """A tree for each target, x <= 0.5 gives 0.3, 0.5, …"""
    n = targets
    m = model("(float[1,1] x) => (float[1,%d] y) { y = ai.onnx.ml.TreeEnsemble(x) }" % n, ml=5, check=False)
    weights = [w for i in range(n) for w in (0.3 + 0.2 * i, 0.0)]
    attributes = dict(
        aggregate_function=1, n_targets=n, post_transform=post, tree_roots=list(range(n)), nodes_featureids=[0] * n,
        nodes_modes=helper.make_tensor("m", TensorProto.UINT8, [n], [0] * n),
        nodes_splits=helper.make_tensor("s", TensorProto.FLOAT, [n], [0.5] * n),
        nodes_truenodeids=list(range(0, 2 * n, 2)), nodes_falsenodeids=list(range(1, 2 * n, 2)),
        nodes_trueleafs=[1] * n, nodes_falseleafs=[1] * n, leaf_targetids=[i // 2 for i in range(2 * n)],
        leaf_weights=helper.make_tensor("w", TensorProto.FLOAT, [2 * n], weights))
    m.graph.node[0].attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
    return lambda: run(m, [0])


logistic = [0.5744425, 0.6224593]  # 1 / (1 + exp(-0.3)), 1 / (1 + exp(-0.5))
softmax = [0.4501660, 0.5498340]  # exp(0.3) and exp(0.5) by their sum
wrong("1, two targets", ensemble(1, 2), softmax, seen=logistic)
wrong("2, two targets", ensemble(2, 2), logistic, seen=softmax)
wrong("2, one target", ensemble(2, 1), logistic[:1], seen=[0.3])
right("0, two targets", ensemble(0, 2), [0.3, 0.5])
right("4, two targets", ensemble(4, 2), [-0.5244005, 0], abs=1e-3)
verdict()
