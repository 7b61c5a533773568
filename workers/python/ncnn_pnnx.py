"""Models for ncnn through pnnx, ncnn's converter.

ncnn computes with float32 alone, on one image at a time: its blobs have no batch axis.  pnnx takes the first axis of
every input for the batch and drops it, so only models whose inputs have a first axis of 1 mean the same there.
"""

import os
import re
import shutil
import subprocess

import numpy as np

from worker_types import Rejected, Unsupported
from converted import Model
from ncnn_builder import plain_net
from values import to_numpy, write_calls

CONVERT_SECONDS = 60
# Operators whose second and later inputs are weights: they have no batch axis, as graph inputs they would lose one.
WEIGHTED = ("Conv", "ConvTranspose", "Gemm", "MatMul", "PRelu", "BatchNormalization", "InstanceNormalization",
            "LayerNormalization", "GroupNormalization", "LSTM", "GRU", "RNN")


class Session:
    pass


class Converted:
    """Sessions whose networks pnnx writes."""

    def __init__(self, ncnn, folder, threads, record=None):
        self.ncnn, self.threads, self.record = ncnn, threads, record
        self.pnnx = os.path.join(folder, "site", "pnnx", "pnnx")
        if not os.access(self.pnnx, os.X_OK):
            raise RuntimeError(f"the converter '{self.pnnx}' is not there or cannot be run")

    def load(self, model, outputs):
        if outputs:
            raise Unsupported("intermediate tensors: the converter renames them")
        session = Session()
        session.model = Model(model, [])
        self._check(session.model)
        try:
            self._convert(session.model)
            self._open(session)
        finally:
            session.model.remove()
        return session

    @staticmethod
    def _check(model):
        for name in model.inputs + model.outputs:
            if model.types[name] != 1:
                raise Unsupported(f"'{name}' is not of float32")
            shape = model.shapes[name]
            if not shape or None in shape or len(shape) < 2 or len(shape) > 5 or shape[0] != 1 or 0 in shape:
                raise Unsupported(f"'{name}' of shape {shape}: ncnn wants 2 to 5 known axes, the first of them 1")
        if not model.inputs:
            raise Unsupported("a model without inputs")
        for node in model.graph.nodes:
            if node.op in WEIGHTED and any(name in model.inputs for name in node.inputs[1:]):
                raise Unsupported(f"{node.op}: weights that are inputs of the graph")

    def _convert(self, model):
        shapes = ",".join(f"[{','.join(map(str, model.shapes[name]))}]f32" for name in model.inputs)
        done = subprocess.run([self.pnnx, model.path, "fp16=0", f"inputshape={shapes}"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=CONVERT_SECONDS, check=False,
                              cwd=os.path.dirname(model.path))
        said = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            raise Unsupported(f"the converter ended with status {done.returncode}: {said[-500:]}")
        missing = re.search(r"^(?:ignore|layer not exists|unsupported) .*", said, re.MULTILINE)
        if missing:
            raise Unsupported(f"the converter says: {missing.group(0)}")

    def _open(self, session):
        base = os.path.splitext(session.model.path)[0]
        net = plain_net(self.ncnn, self.threads)
        for load, suffix in ((net.load_param, ".ncnn.param"), (net.load_model, ".ncnn.bin")):
            if not os.path.exists(base + suffix):
                raise Unsupported(f"the converter wrote no '{suffix}'")
            if load(base + suffix):
                raise Unsupported("ncnn does not load the converted model: a layer it does not have")
        session.net = net
        if len(net.input_names()) != len(session.model.inputs) or \
                len(net.output_names()) != len(session.model.outputs):
            raise Unsupported("the converted model has other inputs or outputs")
        if self.record:
            self._write(session, base)

    def _write(self, session, base):
        """The network as files, for a script that shows what it does without assay."""
        model, net = session.model, session.net
        for suffix in ("param", "bin"):
            shutil.copyfile(f"{base}.ncnn.{suffix}", os.path.join(self.record, f"model.{suffix}"))
        write_calls(self.record, [("feed", name, blob, model.shapes[name][1:])
                                  for blob, name in zip(net.input_names(), model.inputs)] +
                    [("fetch", name, blob, model.shapes[name])
                     for blob, name in zip(net.output_names(), model.outputs)])

    def outputs(self, session):
        return session.model.outputs

    def run(self, session, inputs, names):
        model, kept = session.model, []
        with session.net.create_extractor() as extractor:
            for blob, name in zip(session.net.input_names(), model.inputs):
                if name not in inputs:
                    raise Rejected(f"input '{name}' is not given")
                array = to_numpy(inputs[name])
                if list(array.shape) != model.shapes[name]:
                    raise Rejected(f"input '{name}' has shape {array.shape}, the model says {model.shapes[name]}")
                array = np.ascontiguousarray(array[0])
                kept.append(array)  # a Mat does not keep its array alive
                extractor.input(blob, self.ncnn.Mat(array).clone())
            results = {}
            for blob, name in zip(session.net.output_names(), model.outputs):
                status, mat = extractor.extract(blob)
                if status:
                    raise RuntimeError(f"extract of '{name}' gave {status}")
                results[name] = np.array(mat)
        return [self._shaped(results[name], name, model) for name in names]

    @staticmethod
    def _shaped(array, name, model):
        if array.size != int(np.prod(model.shapes[name])):
            raise RuntimeError(f"output '{name}' has {array.size} elements, the model says {model.shapes[name]}")
        return array.reshape(model.shapes[name])
