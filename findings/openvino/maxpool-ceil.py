"""
title: MaxPool with ceil_mode adds a window that begins behind the input: four elements come out, one is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: Opset 22, ceil_mode = 1, and rounding up adds a window that would begin behind the input and its left
    padding.
    Before opset 22 ONNX counts it.
rule: ONNX MaxPool-22, attribute ceil_mode: such windows are ignored.
documented: data/quirks.tsv, MaxPool
tracker: https://github.com/openvinotoolkit/openvino/issues/18731 (closed; about OpenVINO's operator, which has
    CEIL_TORCH since pull/22796)
"""
from library import array, model, right, run, verdict, wrong


def pool(ceil):
    m = model("""(float[1,1,2,2] x) => (float[1,1,1,1] y)
        { y = MaxPool<kernel_shape = [1, 1], strides = [2, 2], ceil_mode = %d>(x) }""" % ceil, opset=22, ir=10)
    return lambda: run(m, [1, 2, 3, 4])


low = -3.4028235e38
wrong("ceil_mode 1", pool(1), array([1, 1, 1, 1], [1]), seen=array([1, 1, 2, 2], [1, low, low, low]))
right("ceil_mode 0", pool(0), array([1, 1, 1, 1], [1]))
verdict()
