"""
title: com.microsoft Attention without its bias kills the process (SIGSEGV); the bias is optional.
library: openvino
shows: 2026.4.1
class: bug
condition: Input 2 (bias) is left out at the end of the list.  A bias of zeros is right.
rule: ONNX Runtime's schema of com.microsoft Attention: bias is optional; without it nothing is added.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
import numpy as np

from library import Died, model, right, run, verdict, wrong

X, W = np.linspace(-1, 1, 12), np.linspace(-0.5, 0.5, 48)


def attention(bias):
    more, name = (", float[12] b", ", b") if bias else ("", "")
    m = model("(float[1,3,4] x, float[4,12] w%s) => (float[1,3,4] y) "
              "{ y = com.microsoft.Attention<num_heads = 1>(x, w%s) }" % (more, name), check=False)
    return lambda: run(m, X, W, *([np.zeros(12)] if bias else []))


def expected():
    """softmax(Q K^T / sqrt(4)) V"""
    q, k, v = np.split(X.reshape(3, 4) @ W.reshape(4, 12), 3, axis=1)
    e = np.exp(q @ k.T / 2)
    return (e / e.sum(1, keepdims=True) @ v).ravel().tolist()


wrong("without a bias", attention(False), expected(), seen=Died("SIGSEGV"))
right("a bias of zeros", attention(True), expected())
verdict()
