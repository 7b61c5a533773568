"""A model that Keras saved, run by Keras itself: for ONNX models that were made of such a file (keras_to_onnx.py).

What a layer gives comes from the layer.  Tensors inside of a layer's translation, which Keras does not have, are
computed operator by operator from what Keras's layers gave: where the last node of a layer is off and those before it
are not, it is the layer.
"""

import numpy as np

import keras_library
import keras_origin
import onnx_graph
import onnx_reader
from keras_calls import keras, plain_ops
from worker_types import Rejected


def find(data):
    """The path of the file that a model was made of, or None."""
    return keras_origin.find(bytes(data)) if keras_origin.MARK.encode() in bytes(data[:4096]) else None


def layer_tensors(model):
    """What each call of each layer gives, by the names of keras_to_onnx.py."""
    found = {}
    if isinstance(model, keras.Sequential):
        return {layer.name: layer.output for layer in model.layers}
    for nodes in model._nodes_by_depth.values():
        for node in nodes:
            if isinstance(node.operation, keras.layers.InputLayer):
                continue
            first = 1 if isinstance(node.operation, keras.Model) and not isinstance(
                node.operation, keras.Sequential) else 0
            call = node.operation._inbound_nodes.index(node) - first
            name = node.operation.name + (f"@{call}" if call > 0 else "")
            for i, tensor in enumerate(node.output_tensors):
                found[f"{name}.{i}" if i else name] = tensor
    return found


class Session:
    """One saved model, with the ONNX model that was made of it."""

    def __init__(self, path, data, outputs):
        self.data = data
        self.graph = onnx_reader.read_model(data).graph
        self.outputs = list(outputs) if outputs else [o.name for o in self.graph.outputs]
        try:
            self.model = keras.saving.load_model(path, compile=False, safe_mode=True)
            self.tensors = layer_tensors(self.model)
        except Exception as e:  # whatever a layer raises
            raise Rejected(f"load_model: {type(e).__name__}: {e}") from None
        self.parts, self.operators = {}, None

    def part(self, names):
        """The model as far as the outputs of some layers."""
        key = tuple(names)
        if key not in self.parts:
            self.parts[key] = keras.Model(self.model.inputs, [self.tensors[name] for name in names])
        return self.parts[key]

    def run_layers(self, inputs, names):
        if not names:
            return {}
        given = [plain_ops.convert_to_tensor(inputs[info.name]) for info in self.graph.inputs]
        try:
            values = self.part(names)(given if len(given) > 1 else given[0], training=False)
        except Exception as e:  # each array library has errors of its own, without a common class
            raise Rejected(f"{type(e).__name__}: {e}") from None
        values = values if isinstance(values, (list, tuple)) else [values]
        return dict(zip(names, values))

    def run(self, inputs, names):
        """Outputs by name; inputs are numpy arrays."""
        for info in self.graph.inputs:
            if info.name not in inputs:
                raise Rejected(f"input '{info.name}' is not given")
        inner = [name for name in names if name not in self.tensors]
        values = self.run_layers(inputs, sorted(self.tensors) if inner else [n for n in names if n in self.tensors])
        if inner:
            self.operators = self.operators or onnx_graph.Session(keras_library.Keras(), self.data, names)
            scope = self.operators.run(inputs, given=values)
            values.update((name, scope.find(name)) for name in inner)
        return [np.asarray(keras_library.host(values[name])) for name in names]

    def backward(self, inputs, seeds, wanted):
        """Gradients are those of the operators: Keras gives none of a whole model."""
        return keras_library.Session(self.data, list(seeds)).backward(inputs, seeds, wanted)
