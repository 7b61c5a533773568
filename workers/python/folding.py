"""Models whose shapes depend on inputs, for libraries that compile for fixed shapes.

ONNX lets shapes, axes and the like come in at run time.  A library that cannot compile that is given the model with
those inputs as constants, which is how models that people export have them.
"""

import onnx
from onnx import numpy_helper

from converted import Model
from worker_types import Unsupported

FLOAT_SIZES = ("Range", "Resize", "Upsample")  # operators whose float inputs decide on shapes too
DOMAINS = ("", "ai.onnx")                      # all that both compilers read


def parsed(data):
    """The message of a model; None when it has operators of other domains, whose names would be mistaken."""
    model = onnx.load_from_string(data)
    return model if all(node.domain in DOMAINS for node in model.graph.node) else None


class Session:
    """A model and what was compiled of it: with which inputs as constants, or why not at all."""

    def __init__(self, data, outputs):
        self.model = Model(data, outputs)
        try:
            with open(self.model.path, "rb") as f:
                self.message = parsed(f.read())
        finally:
            self.model.remove()
        if self.message is None:
            raise Unsupported("operators that are not ONNX's own")
        self.call, self.order, self.constants, self.error = None, None, {}, None

    @property
    def outputs(self):
        return self.model.outputs

    def may_fold(self):
        """Whether some input may decide on shapes."""
        return any(len(self.model.shapes[name] or ()) <= 1 for name in self.model.inputs)


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
