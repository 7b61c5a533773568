"""
title: com.microsoft Attention without its bias kills the process (SIGSEGV); the bias is optional.
library: onnxruntime
shows: 1.31.1
class: bug
condition: input 2 (bias) is left out, on the CPU.
rule: ONNX Runtime's schema of com.microsoft Attention: bias is optional; without it nothing is added.
documented: docs/reference.md, Operators of com.microsoft
tracker: https://github.com/microsoft/onnxruntime/issues/25005
"""
import numpy as np

from library import Died, model, right, run, verdict, wrong

X, W = np.linspace(-1, 1, 12), np.linspace(-0.5, 0.5, 48)


def attention(bias):
    more, name = (", float[12] b", ", b") if bias else ("", "")
    m = model("(float[1,3,4] x, float[4,12] w%s) => (float[1,3,4] y) "
              "{ y = com.microsoft.Attention<num_heads = 2>(x, w%s) }" % (more, name), check=False)
    return lambda: run(m, X, W, *([np.zeros(12)] if bias else []))


def expected():
    """softmax(Q K^T / sqrt(2)) V of each head"""
    q, k, v = np.split(X.reshape(3, 4) @ W.reshape(4, 12), 3, axis=1)
    heads = []
    for h in (slice(0, 2), slice(2, 4)):
        e = np.exp(q[:, h] @ k[:, h].T / 2**0.5)
        heads.append(e / e.sum(1, keepdims=True) @ v[:, h])
    return np.concatenate(heads, axis=1).ravel().tolist()


wrong("without a bias", attention(False), expected(), seen=Died("SIGSEGV"))
right("a bias of zeros", attention(True), expected())
verdict()
