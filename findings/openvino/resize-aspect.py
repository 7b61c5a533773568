"""
title: Resize ignores keep_aspect_ratio_policy: [2, 4] to [3, 3] not_larger becomes [3, 3]; [2, 3] is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: keep_aspect_ratio_policy is not_larger or not_smaller.
rule: ONNX Resize-18, attribute keep_aspect_ratio_policy.
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import array, model, right, run, verdict, wrong


def resize(policy, rows, columns):
    m = model("""(float[2,4] x) => (float[%d,%d] y) <int64[2] sizes = {3, 3}>
        { y = Resize<mode = "nearest", axes = [0, 1], keep_aspect_ratio_policy = "%s">(x, , , sizes) }"""
              % (rows, columns, policy), opset=18, check=False)
    return lambda: run(m, range(8))


# not_larger: scale min(3 / 2, 3 / 4) = 0.75, rows round(2 * 0.75) = 2, columns 3; positions (i + 0.5) / 0.75 - 0.5
whole = array([3, 3], [0, 1, 3, 0, 1, 3, 4, 5, 7])
wrong("not_larger", resize("not_larger", 2, 3), array([2, 3], [0, 1, 3, 4, 5, 7]), seen=whole)
right("stretch", resize("stretch", 3, 3), whole)
verdict()
