"""
title: Tile of a tensor without axes is refused, or kills the process where repeats is an input; the tensor itself is
    right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The tensor has no axes, so that repeats has no elements.
rule: ONNX Tile-13, input repeats: as many numbers as the input has axes.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/openvinotoolkit/openvino/issues/37958
"""
import numpy as np
from onnx import numpy_helper

from library import Died, Refused, model, right, run, verdict, wrong

constant = model("(float x) => (float y) <int64[1] r = {1}> { y = Tile(x, r) }", check=False)
constant.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.zeros(0, np.int64), "r"))
given = model("(float x, int64[0] r) => (float y) { y = Tile(x, r) }")
axis = model("(float[1] x) => (float[1] y) <int64[1] r = {1}> { y = Tile(x, r) }")
wrong("no axes, repeats a constant", lambda: run(constant, 3.0), [3], seen=Refused("Tile"))
wrong("no axes, repeats an input", lambda: run(given, 3.0, []), [3], seen=Died("SIGSEGV"))
right("one axis", lambda: run(axis, 3.0), [3])
verdict()
