"""
title: AffineGrid is refused; it is a valid model.
library: openvino
shows: 2024.6.0, 2025.3.0
until: 2025.3.0 (2025.4.1 is right)
class: bug
condition: Any: a tensor inside of the operator's function is "not found in graph cache".
rule: ONNX AffineGrid-20.
documented: data/quirks.tsv, AffineGrid
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/31416 adds a translator of its own
"""
from library import Refused, model, right, run, verdict, wrong

grid = model("(float[1,2,3] theta) => (float[1,2,2,2] y) <int64[4] size = {1, 1, 2, 2}> "
             "{ y = AffineGrid(theta, size) }",
             opset=20, ir=9)
plain = model("(float[1,2,3] x) => (float[1,2,3] y) { y = Neg(x) }", opset=20, ir=9)
identity = [1, 0, 0, 0, 1, 0]
wrong("the identity on 2 x 2", lambda: run(grid, identity), [-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5],
      seen=Refused("not found in graph cache"))
right("another operator of opset 20", lambda: run(plain, identity), [-1, 0, 0, 0, -1, 0])
verdict()
