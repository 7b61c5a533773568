"""Models whose shapes depend on inputs, for libraries that compile for fixed shapes.

ONNX lets shapes, axes and the like come in at run time.  A library that cannot compile that is given the model with
those inputs as constants, which is how models that people export have them.
"""

import onnx
from onnx import numpy_helper

FLOAT_SIZES = ("Range", "Resize", "Upsample")  # operators whose float inputs decide on shapes too
DOMAINS = ("", "ai.onnx")                      # all that both compilers read


def parsed(data):
    """The message of a model; None when it has operators of other domains, whose names would be mistaken."""
    model = onnx.load_from_string(data)
    return model if all(node.domain in DOMAINS for node in model.graph.node) else None


def sizes_among(model, arrays):
    """Names of inputs that may decide on shapes: whole numbers and truth values of at most one axis, and scales."""
    scales = {name for node in model.graph.node if node.op_type in FLOAT_SIZES for name in node.input}
    return [name for name, array in arrays.items()
            if array.ndim <= 1 and (array.dtype.kind in "ib" or (array.dtype.kind == "f" and name in scales))]


def folded(model, arrays):
    """A copy of the model with the arrays, by name, in the place of its inputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    kept = [info for info in copy.graph.input if info.name not in arrays]
    del copy.graph.input[:]
    copy.graph.input.extend(kept)
    copy.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in arrays.items())
    return copy
