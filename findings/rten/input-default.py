"""
title: An input of the graph that has a default value is a constant: what it is given is ignored.
library: rten
shows: 0.27.0
class: bug
condition: An initializer with the name of an input, for which the caller gives another value.
rule: ONNX IR, Graphs: an initializer with the name of a graph input is a default value, which the caller may override.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import subprocess
import tempfile

import numpy as np

from library import PROGRAM, call, model, right, verdict, wrong

GRAPH = "(float[2] x%s) => (float[2] y) <float[2] c = {10, 20}> { y = Add(x, c) }"


def given():
    """The input is given 5 and 6, though it has a default value."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as f:
        f.write(model(GRAPH % " = {1, 2}").SerializeToString())
        f.flush()
        done = subprocess.run([PROGRAM, f.name], input="x\t2\t5 6", stdout=subprocess.PIPE, check=True, text=True)
    return [np.array(done.stdout.split("\t")[2].split(), np.float32)]


wrong("a default value", given, [15, 26], seen=[11, 22])
right("none", call(GRAPH % "", [5, 6]), [15, 26])
verdict()
