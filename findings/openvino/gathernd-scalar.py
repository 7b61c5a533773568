"""
title: GatherND with batch_dims and a scalar for its indices kills the process (SIGSEGV); it must be refused.
library: openvino
shows: 2026.4.1
class: bug
condition: batch_dims is 1 and the indices have no axis.  With batch_dims 0 the model is refused.
rule: ONNX GatherND-13: the indices have a rank of 1 or more, and batch_dims is below it.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
import numpy as np

from library import Died, Refused, model, right, run, verdict, wrong


def gather(batch_dims, indices, places):
    m = model("(float[2,3] x, int64%s i) => (float[a] y) { y = GatherND<batch_dims = %d>(x, i) }"
              % (indices, batch_dims), check=False)
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return lambda: run(m, np.arange(6), places)


wrong("batch_dims 1, a scalar", gather(1, "", 1), Refused(), seen=Died("SIGSEGV"))
right("batch_dims 0, a scalar", gather(0, "", 1), Refused())
right("batch_dims 1, two axes", gather(1, "[2,1]", [1, 2]), [1, 5])
verdict()
