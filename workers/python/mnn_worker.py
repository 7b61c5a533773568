"""MNN as a backend: the model goes through MNN's own converter, and runs as a module in high precision.

MNN tells what it does not have by printing so and going on: the converter then writes a model that means something
else, and a module gives no outputs.  What is printed is therefore read.
Installed: site/ with MNN and numpy.  MNN.tools is not imported: its logging part installs packages and calls home.
"""

import os
import re

import numpy as np

from worker_types import Rejected, Unsupported
from converted import Model, narrowed, widened
from printed import printed
from values import to_numpy


REFUSAL = re.compile(r"^(?:\[[\d:]+\] :\d+: )?(.*(?:don't support|not support|unsupported|code=2 in).*)$",
                     re.IGNORECASE | re.MULTILINE)


class Session:
    pass


class Backend:
    library = "MNN"
    layout = "NCHW"  # of what a model's format calls its tensors
    names_outputs = True  # the format says which values are outputs, so that a converter must keep their names

    def open(self, folder, options):
        import _tools
        import MNN

        self.mnn, self.tools = MNN, _tools
        self.threads = int(options.get("threads", "1"))
        return MNN.version()

    def load(self, model, options, outputs):
        session = Session()
        session.model, session.ran = Model(model, outputs), False
        path = os.path.splitext(session.model.path)[0] + ".mnn"
        try:
            self._convert("ONNX", session.model.path, path)
            session.module = self._module(path, session.model.inputs, session.model.outputs)
        finally:
            session.model.remove()
        return session

    def _convert(self, kind, source, target):
        command = ["mnnconvert", "-f", kind, "--modelFile", source, "--MNNModel", target, "--bizCode", "assay",
                   "--alignDenormalizedValue", "0", "--useGeluApproximation", "0"]
        _, said = printed(self.tools.mnnconvert, command)
        refusal = REFUSAL.search(said)
        if refusal:
            raise Unsupported(f"the converter says: {refusal.group(1).strip()}")
        if not os.path.exists(target):
            raise Unsupported("the converter wrote no model")

    def _module(self, path, inputs, outputs):
        if not inputs or not outputs:
            raise Unsupported("a model without inputs or outputs")
        expr = self.mnn.expr
        try:
            module, said = printed(lambda: self.mnn.nn.load_module_from_file(
                path, inputs, outputs, backend=expr.Backend.CPU, precision_mode=expr.PrecisionMode.High,
                thread_num=self.threads))
        except (RuntimeError, ValueError, TypeError, SystemError) as e:
            if not self.names_outputs and "Can't find output" in e.printed:
                raise Unsupported("the converter keeps no value of an output's name") from None
            raise Rejected(str(e.__cause__ or e).replace(path, "").strip()) from None
        if module is None:
            raise Rejected("the converted model cannot be loaded")
        refusal = REFUSAL.search(said)
        if refusal:
            raise Unsupported(f"the library says: {refusal.group(1).strip()}")
        return module

    def outputs(self, session):
        return session.model.outputs

    def run(self, session, inputs, names):
        model = session.model
        results = self._results(session, inputs, model.inputs, len(model.outputs))
        return [self._output(results[model.outputs.index(name)], name, model) for name in names]

    def _results(self, session, inputs, names, wanted):
        """All outputs, for the inputs of these names."""
        values = [self._input(inputs, name) for name in names]
        results = self._forward(session, values)
        results = results if isinstance(results, (list, tuple)) else [results]
        if len(results) != wanted:
            raise Rejected(f"it gave {len(results)} outputs instead of {wanted}")
        return results

    def _input(self, inputs, name):
        expr = self.mnn.expr
        if name not in inputs:
            raise Rejected(f"input '{name}' is not given")
        array = narrowed(to_numpy(inputs[name]), name)
        types = {"float32": expr.float, "int32": expr.int, "uint8": expr.uint8}
        value = expr.placeholder(list(array.shape), getattr(expr, self.layout), types[array.dtype.name])
        value.write(array)
        return value

    @staticmethod
    def _forward(session, values):
        """Outputs.  The first time, and whenever there are none, what is printed tells what it could not do."""
        results = session.module.forward(values) if session.ran else None
        if not results:
            results, said = printed(session.module.forward, values)
            refusal = REFUSAL.search(said)
            if refusal:
                raise Unsupported(f"the library says: {refusal.group(1).strip()}")
            if not results:
                raise Rejected(f"it gave no outputs: {' '.join(said.split())}")
        session.ran = True
        return results

    def _output(self, value, name, model):
        if value.data_format == self.mnn.expr.NC4HW4:
            value = self.mnn.expr.convert(value, getattr(self.mnn.expr, self.layout))
        shape = tuple(value.shape)
        if 0 in shape:  # it cannot be read, and there is nothing to read
            array = np.zeros(shape, np.float32 if value.dtype == self.mnn.expr.float else np.int32)
        else:
            array = np.array(value.read()).reshape(shape)
        return widened(array, model.types.get(name, 0), name)
