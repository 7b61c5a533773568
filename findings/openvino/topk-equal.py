"""
title: TopK of equal numbers does not name the lower index first when k is an input of the graph.
library: openvino
shows: 2026.4.1
class: bug
condition: k is an input of the graph; with k a constant the order is right.
rule: ONNX TopK-11: of two equivalent values the element with the lower index will appear first.
documented: data/quirks.tsv, TopK
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/32201 (closed) and
    https://github.com/openvinotoolkit/openvino/pull/33199 (merged) are about the order of equal numbers
"""
import numpy as np

from library import model, right, run, verdict, wrong

HEAD = "(int64[4] x%s) => (int64[3] v, int64[3] i) %s { v, i = TopK<axis = 0>(x, k) }"
ZEROS = np.zeros(4, np.int64)
asked, constant = model(HEAD % (", int64[1] k", "")), model(HEAD % ("", "<int64[1] k = {3}>"))

wrong("k is an input", lambda: run(asked, ZEROS, np.array([3])), ([0, 0, 0], [0, 1, 2]),
      seen=([0, 0, 0], [1, 2, 0]))
right("k is a constant", lambda: run(constant, ZEROS), ([0, 0, 0], [0, 1, 2]))
verdict()
