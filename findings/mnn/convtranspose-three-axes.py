"""
title: ConvTranspose over three axes gives a tensor whose last axis has size 0.
library: MNN
shows: 3.6.1
class: bug
condition: Three spatial axes.  Two are right.
rule: ONNX ConvTranspose-11, output Y.
documented: data/quirks.tsv, ConvTranspose
tracker: none found; https://github.com/alibaba/MNN/pull/2075 added the operator over three axes
"""
from library import array, call, right, verdict, wrong

wrong("three axes", call("""(float[1,1,1,1,1] x) => (float[1,1,2,2,2] y) <float[1,1,2,2,2] w = {1, 1, 1, 1, 1, 1, 1, 1}>
    { y = ConvTranspose(x, w) }""", [3]), array([1, 1, 2, 2, 2], [3] * 8), seen=array([1, 1, 2, 2, 0], []))
right("two axes", call("""(float[1,1,1,1] x) => (float[1,1,2,2] y) <float[1,1,2,2] w = {1, 1, 1, 1}>
    { y = ConvTranspose(x, w) }""", [3]), array([1, 1, 2, 2], [3] * 4))
verdict()
