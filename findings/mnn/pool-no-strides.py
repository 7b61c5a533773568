"""
title: Pools without strides kill the process (SIGFPE, over three axes SIGSEGV); strides are 1 by default.
library: MNN
shows: 3.6.1
class: bug
condition: strides are left out.
rule: ONNX AveragePool-11 and MaxPool-12, attribute strides, default 1.
documented: docs/methods/fuzz.md, The paper's failures on MNN; data/quirks.tsv, AveragePool; data/quirks.tsv, MaxPool
tracker: none found; https://github.com/alibaba/MNN/issues/4797 is about strides that are given as 0 (closed)
"""
from library import Died, call, right, verdict, wrong

def pool(op, strides=""):
    return call("(float[1,1,2,2] x) => (float[1,1,1,1] y) { y = %s<kernel_shape = [2,2]%s>(x) }" % (op, strides),
                [4, 8, 12, 16])


wrong("AveragePool", pool("AveragePool"), [10], seen=Died("SIGFPE"))
wrong("MaxPool", pool("MaxPool"), [16], seen=Died("SIGFPE"))
wrong("three axes",
      call("(float[1,1,2,2,2] x) => (float[1,1,1,1,1] y) { y = MaxPool<kernel_shape = [2,2,2]>(x) }", range(8)),
      [7], seen=Died("SIGSEGV"))
right("AveragePool with strides", pool("AveragePool", ", strides = [1,1]"), [10])
right("MaxPool with strides", pool("MaxPool", ", strides = [1,1]"), [16])
verdict()
