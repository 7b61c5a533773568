"""OpenVINO's Python package, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

# float32 is float32, also on processors that have bfloat16; one thread
CPU = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}


def run(m, *values):
    """All outputs, on the CPU."""
    import openvino  # in the child: what it starts does not survive a fork

    core = openvino.Core()
    compiled = core.compile_model(core.read_model(m.SerializeToString()), "CPU", CPU)
    given = feeds(m, values)
    more = [i.any_name for i in compiled.inputs if i.any_name not in given]
    if more:
        raise ValueError("it wants inputs that the model does not have: %s" % more)
    result = compiled({i: given[i.any_name] for i in compiled.inputs})
    return [result[o] for o in compiled.outputs]
