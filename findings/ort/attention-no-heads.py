"""
title: Attention without heads kills the process (SIGFPE); a result without elements is right, or a refusal.
library: onnxruntime
shows: 1.31.1
class: bug
condition: K and V of four axes whose second, the heads, has no elements.  A batch without elements is refused.
rule: ONNX Attention-23: the heads of Q are a multiple of those of K.  An error has to be told, not to end the process.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
import numpy as np

from library import Died, Refused, model, right, run, verdict, wrong


def attention(batch, heads, heads_of_k):
    m = model("(float[%d,%d,2,1] q, float[%d,%d,2,1] k, float[%d,%d,2,1] v) => (float[%d,%d,2,1] y) "
              "{ y = Attention(q, k, v) }" % ((batch, heads) + (batch, heads_of_k) * 2 + (batch, heads)),
              opset=23, check=False)
    q, k = np.zeros(batch * heads * 2), np.ones(batch * heads_of_k * 2)
    return lambda: run(m, q, k, k)


dies = Died("SIGFPE")
wrong("no heads", attention(1, 0, 0), Refused(), seen=dies)
wrong("one head, none of K", attention(1, 1, 0), Refused(), seen=dies)
right("no batch", attention(0, 1, 1), Refused("Attention"))
right("one head", attention(1, 1, 1), [1, 1])
verdict()
