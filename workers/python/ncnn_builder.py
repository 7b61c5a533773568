"""Writes ncnn networks, layer by layer, and runs them.

A blob of ncnn has one to four axes and no batch axis: what ONNX calls the shape [1, C, H, W] is a blob (C, H, W) there,
and the same elements may stand in other blobs as well.  A Handle therefore has the shape that ONNX sees and the blob
that it lies in; a layer that wants its elements under other axes gets them through a Reshape.
"""

import contextlib
import os
import struct
import tempfile

import numpy as np

import ncnn_names
from worker_types import Rejected, Unsupported

MAX_AXES = 4
SIZES = {1: (0,), 2: (1, 0), 3: (2, 1, 0), 4: (2, 11, 1, 0)}  # parameters of sizes, outermost axis first
HALVES = ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage", "use_int8_inference",
          "use_vulkan_compute")


def blob_axes(shape):
    """The axes of the blob that a tensor of this shape lies in unless a layer wants others: (axes, dropped ones)."""
    dropped = 1 if len(shape) > 2 and shape[0] == 1 else 0
    while len(shape) - dropped > MAX_AXES and shape[dropped] == 1:
        dropped += 1
    if len(shape) - dropped > MAX_AXES:
        raise Unsupported(f"a tensor of shape {tuple(shape)}: blobs have at most four axes")
    return tuple(shape[dropped:]) or (1,), dropped


class Handle:
    """A tensor of a network under construction; .data is an array when it is a constant."""

    def __init__(self, shape, blob=None, axes=None, data=None):
        self.shape = tuple(int(d) for d in shape)
        self.ndim, self.size = len(self.shape), int(np.prod(self.shape, dtype=np.int64))
        self.blob, self.axes, self.data = blob, axes, data
        self.given, self.forms = None, {}
        if self.size == 0:
            raise Unsupported("tensors without elements")


class Layer:
    def __init__(self, kind, inputs, outputs, params):
        self.kind, self.inputs, self.outputs, self.params = kind, inputs, outputs, params


def parameter(key, value):
    if isinstance(value, (list, tuple)):
        return f"-{23300 + key}={len(value)}" + "".join(f",{number(v)}" for v in value)
    return f"{key}={number(value)}"


def number(value):
    """Floats need a point or an exponent to be read as such."""
    return f"{np.float32(value):.9e}" if isinstance(value, (float, np.floating)) else str(int(value))


def rounded(value):
    """A parameter as the layer gets it."""
    return float(np.float32(value)) if isinstance(value, (float, np.floating)) else value


def extracted(ncnn, net, given, asked):
    """What a network makes of arrays by blob: those blobs that are asked for, in their order."""
    with net.create_extractor() as extractor:
        for blob, array in given.items():  # a Mat does not keep its array alive
            extractor.input(blob, ncnn.Mat(array).clone())
        found = []
        for blob in asked:
            status, mat = extractor.extract(blob)
            if status:
                raise Rejected(f"the network ends with status {status}")
            found.append(np.array(mat))
    return found


class Builder:
    """Collects layers; with a record (record_graph.py) each runs alone, and .values has what came of it by blob."""

    def __init__(self, ncnn, threads, record=None):
        self.ncnn, self.threads, self.record = ncnn, threads, record
        self.layers, self.weights, self.count, self.values = [], bytearray(), 0, {}

    def name(self):
        self.count += 1
        return f"b{self.count}"

    def input(self, shape):
        axes = blob_axes(shape)[0]
        handle = Handle(shape, self.name(), axes)
        self.layers.append(Layer("Input", [], [handle.blob], dict(zip(SIZES[len(axes)], axes))))
        return handle

    def op(self, kind, inputs, axes, params=None, weights=(), outputs=1):
        """Adds a layer on blobs (names), whose results have these axes (one tuple, or a list of them): their names.
        `weights`: (array, tagged) in the order in which the layer reads them; tagged ones begin with their type."""
        names = [self.name() for _ in range(outputs)]
        begin = len(self.weights)
        for array, tagged in weights:
            self.weights += struct.pack("<I", 0) if tagged else b""
            self.weights += np.ascontiguousarray(array, np.float32).tobytes()
        self.layers.append(Layer(kind, list(inputs), names, params or {}))
        if self.record:
            line = self._line(self.layers[-1], weights)
            self._run(self.layers[-1], self.weights[begin:])
            self.record.made(line, [(name, self.values[name]) for name in names])
        return names if outputs > 1 else names[0]

    def give(self, handle, name, array):
        """The elements of an input of the graph, for a record."""
        self.values[handle.blob] = np.ascontiguousarray(array.reshape(handle.axes))
        self.record.source(handle.blob, self.values[handle.blob], name)

    def _line(self, layer, weights):
        """What the layer is told; behind its parameters, as build_…, what else a script needs to build it."""
        inputs = [self.record.variable(name) for name in layer.inputs]
        options = {name: self.record.source(name, np.asarray(array, np.float32).reshape(-1))
                   for name, (array, _) in zip(ncnn_names.weights(layer.kind), weights)}
        options.update(ncnn_names.parameters(layer.kind, {k: rounded(v) for k, v in layer.params.items()}))
        options.update({"build_param": " ".join(parameter(*p) for p in layer.params.items()),
                        "build_tagged": sum(tagged for _, tagged in weights), "build_outputs": len(layer.outputs)})
        return self.record.op(layer.kind, [inputs] if layer.kind == "Concat" else inputs, options)

    def _run(self, layer, weights):
        """A layer alone, on the values that came of those before it."""
        alone = Builder(self.ncnn, self.threads)
        given = {name: self.values[name] for name in layer.inputs}
        alone.layers = [Layer("Input", [], [name], dict(zip(SIZES[v.ndim], v.shape))) for name, v in given.items()]
        alone.layers.append(layer)
        alone.weights = weights
        net, asked = alone.net(layer.outputs)
        self.values.update(zip(layer.outputs, extracted(self.ncnn, net, given, asked)))

    def blob(self, handle, axes=None):
        """The name of a blob that holds a tensor under these axes (default: as it lies)."""
        if handle.blob is None:
            handle.axes = tuple(axes or blob_axes(handle.shape)[0])
            handle.blob = self.op("MemoryData", [], handle.axes, dict(zip(SIZES[len(handle.axes)], handle.axes)),
                                  [(handle.data, False)])
        axes = tuple(axes or handle.axes)
        if axes == handle.axes:
            return handle.blob
        if axes not in handle.forms:
            if int(np.prod(axes, dtype=np.int64)) != handle.size:
                raise AssertionError(f"{handle.shape} as {axes}")
            handle.forms[axes] = self.op("Reshape", [handle.blob], axes, dict(zip(SIZES[len(axes)], axes)))
        return handle.forms[axes]

    def _split(self, outputs):
        """Layers with a Split after each blob that is read more than once, and what each output is called then."""
        reads = {}
        for name in [n for layer in self.layers for n in layer.inputs] + outputs:
            reads[name] = reads.get(name, 0) + 1
        copies, layers = {}, []
        for layer in self.layers:
            renamed = [copies[n].pop() if n in copies else n for n in layer.inputs]
            layers.append(Layer(layer.kind, renamed, layer.outputs, layer.params))
            for name in layer.outputs:
                if reads.get(name, 0) > 1:
                    copies[name] = [f"{name}_{i}" for i in range(reads[name])]
                    layers.append(Layer("Split", [name], list(copies[name]), {}))
        return layers, [copies[n].pop() if n in copies else n for n in outputs]

    def net(self, outputs, record=None):
        """A network that gives these blobs: (network, the names to ask it for).  `record`: a folder that keeps it."""
        layers, asked = self._split(outputs)
        blobs = sum(len(layer.outputs) for layer in layers)
        lines = ["7767517", f"{len(layers)} {blobs}"]
        for i, layer in enumerate(layers):
            words = [layer.kind, f"l{i}", str(len(layer.inputs)), str(len(layer.outputs))]
            words += layer.inputs + layer.outputs + [parameter(*p) for p in layer.params.items()]
            lines.append(" ".join(words))
        return opened(self.ncnn, self.threads, "\n".join(lines) + "\n", bytes(self.weights), record), asked


def plain_net(ncnn, threads):
    """An empty network that computes in float32 alone."""
    net = ncnn.Net()
    for option in HALVES:
        setattr(net.opt, option, False)
    net.opt.num_threads = threads
    return net


def opened(ncnn, threads, text, weights, record=None):
    net = plain_net(ncnn, threads)
    with contextlib.nullcontext(record) if record else tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        paths = os.path.join(folder, "model.param"), os.path.join(folder, "model.bin")
        with open(paths[0], "w", encoding="ascii") as f:
            f.write(text)
        with open(paths[1], "wb") as f:
            f.write(weights)
        if net.load_param(paths[0]) or net.load_model(paths[1]):
            raise Unsupported("ncnn does not load the network: a layer it does not have")
    return net
