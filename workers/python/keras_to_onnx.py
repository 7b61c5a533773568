#!/usr/bin/env python3
"""Makes an ONNX model of a file that Keras saved: keras_to_onnx.py MODEL OUTPUT

What each layer gives is a tensor with the layer's name; "@1" follows for its second call, ".1" for its second output,
and layers of a model in a model have the names of both: "outer/inner".  Keras itself is not needed, only h5py and
numpy, and nothing of the file is executed.  The producer's name in the ONNX model says which file it was and how both
are recognized (keras_origin.py).
"""

import os
import resource
import sys

import numpy as np

import keras_origin
import keras_to_math
import keras_to_norm
import keras_to_sequence
import keras_to_shape
import keras_to_window
from keras_file import File, FileError
from keras_layer import Call
from onnx_builder import Builder, Tensor

TABLE = {**keras_to_math.TABLE, **keras_to_shape.TABLE, **keras_to_window.TABLE, **keras_to_norm.TABLE,
         **keras_to_sequence.TABLE}
for rows in (TABLE, keras_to_math.OPERATIONS):
    for class_name, row_of_class in rows.items():
        row_of_class.name = class_name
MODELS = ("Functional", "Model", "Sequential")
TYPES = ("float32", "int32", "int64", "bool", "uint8", "int8", "int16")
TENSOR = "__keras_tensor__"
MAX_MEMORY = 16 << 30


def short_shape(shape, what):
    if not isinstance(shape, list) or not shape or len(shape) > 8 or \
            not all(d is None or (isinstance(d, int) and 0 < d < 1 << 31) for d in shape):
        raise FileError(f"{what} has the shape {shape}")
    return shape


def type_of(config):
    """The type that a layer computes in."""
    said = config.get("dtype", "float32")
    if isinstance(said, dict):
        said = said.get("config", {}).get("name") if isinstance(said.get("config"), dict) else None
    return said or "float32"


class Layer:
    """One entry of a model's list of layers."""

    def __init__(self, entry, weights=None):
        if not isinstance(entry, dict) or not isinstance(entry.get("config"), (dict, list)):
            raise FileError("a layer has no configuration")
        self.kind, self.config, self.weights = str(entry.get("class_name")), entry["config"], weights
        own = self.config.get("name") if isinstance(self.config, dict) else None
        self.name = str(entry.get("name") or own or self.kind.lower())
        # An .h5 file says no modules; what is no layer has nothing but a name.
        self.is_operation = str(entry.get("module") or "").startswith("keras.src.ops") or \
            ("module" not in entry and isinstance(self.config, dict) and set(self.config) == {"name"})
        self.inbound = entry.get("inbound_nodes") or []
        self.outputs = []  # a list of tensors for each call

    def of_call(self, index):
        """A model in a model has one call that was never made: its own."""
        index -= self.kind in ("Functional", "Model") and index > 0
        return self.outputs[index] if index < len(self.outputs) else None


class Converter:
    def __init__(self, file):
        self.file, self.builder = file, Builder()
        self.old = file.version.startswith(("1", "2"))

    def convert(self):
        inputs = self.builder.input
        outputs = self.model(self.file.config, self.file.weights, "", lambda name, shape, dtype, _: inputs(
            name, shape, dtype))
        taken = set()
        for tensor in outputs:
            if tensor.name in taken or any(tensor is i for i in self.builder.inputs):
                (tensor,) = self.builder.node(f"{tensor.name}:output{len(taken)}", "Identity", [tensor],
                                              [tensor.shape], tensor.dtype, {})
            taken.add(tensor.name)
            self.builder.outputs.append(tensor)
        if not outputs or not self.builder.inputs:
            raise FileError("the model has no inputs or no outputs")

    # ---- models ------------------------------------------------------------------------------------------------------

    def layers_of(self, config, weights):
        entries = config.get("layers") if isinstance(config, dict) else config
        if not isinstance(entries, list):
            raise FileError("the model has no list of layers: it is of a class of its own")
        if not entries:
            raise FileError("the model has no layers")
        layers = [Layer(e) for e in entries]
        if weights is None:
            for layer in layers:
                layer.weights = self.file.flat.layer(layer.name)
            return layers
        # operations between layers have no place among the weights
        with_place = [layer for layer in layers if not layer.is_operation]
        for layer, place in zip(with_place, weights.children([layer.kind for layer in with_place])):
            layer.weights = place
        return layers

    def model(self, entry, weights, prefix, take_input):
        """The outputs of a model; take_input makes an input of it."""
        kind, config = entry.get("class_name"), entry["config"]
        if kind not in MODELS:
            raise FileError(f"a model of class {kind} is not supported: only Functional and Sequential ones are")
        layers = self.layers_of(config, weights)
        if kind == "Sequential":
            return self.sequential(config, layers, prefix, take_input)
        return self.functional(config, layers, prefix, take_input)

    def input_layer(self, layer, prefix, take_input, order):
        config = layer.config
        dtype = str(config.get("dtype") or "float32")
        if dtype not in TYPES or config.get("sparse") or config.get("ragged"):
            raise FileError(f"input '{layer.name}' is of type {dtype}, sparse or ragged")
        shape = short_shape(config.get("batch_shape") or config.get("batch_input_shape"), f"input '{layer.name}'")
        return take_input(prefix + layer.name, shape, np.dtype(dtype), order)

    def sequential(self, config, layers, prefix, take_input):
        first = layers[0]
        if first.kind == "InputLayer":
            values, layers = [self.input_layer(first, prefix, take_input, 0)], layers[1:]
        else:
            shape = first.config.get("batch_input_shape") if isinstance(first.config, dict) else None
            shape = shape or (config.get("build_input_shape") if isinstance(config, dict) else None)
            dtype = np.dtype("int32" if first.kind == "Embedding" else "float32")
            values = [take_input(f"{prefix}{first.name}_input", short_shape(shape, "the model's input"), dtype, 0)]
        for layer in layers:
            values = self.call(layer, prefix, [values[0] if len(values) == 1 else values], {}, 0)
        return values

    def functional(self, config, layers, prefix, take_input):
        by_name = {layer.name: layer for layer in layers}
        if len(by_name) != len(layers):
            raise FileError("two layers have the same name")
        order = [name for name, _, _ in references(config.get("input_layers"))]
        for layer in layers:
            if layer.kind == "InputLayer":
                if layer.name not in order:
                    raise FileError(f"input '{layer.name}' is none of the model's")
        for i, name in enumerate(order):
            if name not in by_name or by_name[name].kind != "InputLayer":
                raise FileError(f"'{name}' is not an input")
            by_name[name].outputs = [[self.input_layer(by_name[name], prefix, take_input, i)]]
        self.run_calls([la for la in layers if la.kind != "InputLayer"], by_name, prefix)
        return [self.find(by_name, ref) for ref in references(config.get("output_layers"))]

    def run_calls(self, layers, by_name, prefix):
        """Calls in an order in which everything is there that they read."""
        waiting = [(layer, i) for layer in layers for i in range(len(layer.inbound))]
        while waiting:
            later = []
            for layer, i in waiting:
                ready = i == len(layer.outputs)
                args, kwargs = (None, None)
                if ready:
                    args, kwargs, ready = self.arguments(layer.inbound[i], by_name)
                if ready:
                    layer.outputs.append(self.call(layer, prefix, args, kwargs, i))
                else:
                    later.append((layer, i))
            if len(later) == len(waiting):
                raise FileError(f"layer '{later[0][0].name}' reads what no layer gives")
            waiting = later

    def find(self, by_name, ref):
        name, index, place = ref
        layer = by_name.get(name)
        values = layer.of_call(index) if layer else None
        if values is not None and place >= len(values):
            raise FileError(f"layer '{name}' has no output {place}")
        if values is None and layer is None:
            raise FileError(f"there is no layer '{name}'")
        return values[place] if values is not None else None

    def arguments(self, node, by_name):
        """(args, kwargs, whether all tensors in them are there) of a call, of new files or old ones."""
        missing = []

        def resolved(value):
            if isinstance(value, dict) and value.get("class_name") == TENSOR:
                config = value.get("config")
                found = self.find(by_name, reference(config.get("keras_history") if isinstance(config, dict) else None))
                missing.extend([value] if found is None else [])
                return found
            if isinstance(value, list):
                return [resolved(v) for v in value]
            return {k: resolved(v) for k, v in value.items()} if isinstance(value, dict) else value

        if isinstance(node, dict):
            args, kwargs = resolved(node.get("args", [])), resolved(node.get("kwargs") or {})
            if not isinstance(args, list) or not isinstance(kwargs, dict):
                raise FileError("a layer's arguments are damaged")
            return args, kwargs, not missing
        parts = node if isinstance(node, list) else []
        parts = [parts] if parts and isinstance(parts[0], str) else parts
        found = [self.find(by_name, reference(p[:3] if isinstance(p, list) else p)) for p in parts]
        kwargs = next((p[3] for p in parts if isinstance(p, list) and len(p) > 3 and isinstance(p[3], dict)), {})
        first = found[0] if len(found) == 1 else found
        return [first], {k: v for k, v in kwargs.items() if v is not None}, None not in found

    # ---- layers ------------------------------------------------------------------------------------------------------

    def call(self, layer, prefix, args, kwargs, index):
        """The tensors that a call of a layer gives."""
        name = prefix + layer.name + (f"@{index}" if index else "")
        if layer.kind in MODELS:
            given = args[0] if args and isinstance(args[0], list) else args[:1]
            results = self.inner_model(layer, name, given)
        else:
            call = self.make_call(layer.kind, layer.is_operation, layer.config, layer.weights, name, args, kwargs)
            results = call.row.run(call)
            results = results if isinstance(results, list) else [results]
        return [self.named(t, f"{name}.{k}" if k else name, layer.kind in MODELS) for k, t in enumerate(results)]

    def named(self, tensor, name, is_model):
        """A tensor that a layer gives has the layer's name; one that it was given itself, or that already has the name
        of a layer in a model, is passed on."""
        last = self.builder.nodes[-1].outputs if self.builder.nodes else []
        if not is_model and any(tensor is t for t in last) and tensor.name.startswith(f"{name}/"):
            self.builder.rename(tensor, name)
            return tensor
        return self.builder.node(name, "Identity", [tensor], [tensor.shape], tensor.dtype, {})[0]

    def make_call(self, kind, is_operation, config, weights, name, args, kwargs):
        row = (keras_to_math.OPERATIONS if is_operation else TABLE).get(kind)
        if row is None:
            raise FileError(f"layer '{name}' is of class {kind}, which is not supported")
        if not isinstance(config, dict):
            raise FileError(f"layer '{name}' has no configuration")
        if type_of(config) != "float32":
            raise FileError(f"layer '{name}' computes in {type_of(config)}, and only float32 is supported")
        for key in ("lora_rank", "quantization_config"):
            if config.get(key):
                raise FileError(f"layer '{name}' has a {key}, which is not supported")
        call = Call(self.builder, name, row, config, weights.again() if weights else None, args, kwargs, self.old)
        call.inner = lambda entry, below, x: self.inner_layer(entry, below, x, f"{name}/layer")
        call.check_kwargs()
        return call

    def inner_layer(self, entry, weights, x, name):
        """A layer that another one wraps."""
        layer = Layer(entry, weights)
        if layer.kind in MODELS:
            (result,) = self.inner_model(layer, name, [x])
            return result
        call = self.make_call(layer.kind, layer.is_operation, layer.config, weights, name, [x], {})
        result = call.row.run(call)
        if not isinstance(result, Tensor):
            raise FileError(f"layer '{name}' gives several tensors")
        return result

    def inner_model(self, layer, name, given):
        def take_input(_name, shape, dtype, i):
            if i >= len(given) or not isinstance(given[i], Tensor) or given[i].rank != len(shape):
                raise FileError(f"model '{name}' is not given its inputs")
            return given[i]

        if layer.weights is None:
            raise FileError(f"model '{name}' has no weights")
        return self.model({"class_name": layer.kind, "config": layer.config}, layer.weights, f"{name}/", take_input)


def reference(history):
    if not isinstance(history, list) or len(history) != 3 or not isinstance(history[0], str) or \
            not all(isinstance(v, int) and v >= 0 for v in history[1:]):
        raise FileError(f"{str(history)[:80]} is not an output of a layer")
    return history


def references(value):
    """[layer, call, output] of all that stand in a list, in a list of lists or in a dictionary."""
    if isinstance(value, list) and len(value) == 3 and isinstance(value[0], str):
        return [reference(value)]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [ref for v in inner for ref in references(v)]


def convert(path):
    """The bytes of an ONNX model."""
    file = File(path)
    converter = Converter(file)
    converter.convert()
    converter.builder.producer = keras_origin.name(os.path.abspath(path), file.digest,
                                                   keras_origin.graph_digest(converter.builder.serialize()))
    return converter.builder.serialize()


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: keras_to_onnx.py MODEL OUTPUT")
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        data = convert(arguments[0])
        with open(arguments[1], "wb") as f:
            f.write(data)
    except (FileError, OSError) as e:
        sys.exit(f"error: {e}")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError, RuntimeError) as e:
        sys.exit(f"error: the file is damaged or not supported: {type(e).__name__}: {str(e)[:300]}")


if __name__ == "__main__":
    main(sys.argv[1:])
