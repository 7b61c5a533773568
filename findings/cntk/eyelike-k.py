"""
title: EyeLike ignores k: the ones are on the main diagonal.
library: cntk
shows: 2.7
class: bug
condition: k is not 0.
rule: ONNX EyeLike-9, attribute k.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
import numpy as np

from library import node, right, verdict, wrong


def eye(k):
    return node("EyeLike", np.zeros([3, 3]), [3, 3], k=k)


main = np.eye(3).ravel().tolist()
wrong("k 1", eye(1), np.eye(3, k=1).ravel().tolist(), seen=main)
right("k 0", eye(0), main)
verdict()
