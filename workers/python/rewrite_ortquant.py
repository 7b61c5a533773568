"""ONNX Runtime's quantizers: quantize_static(), calibrated with the inputs of the case, and quantize_dynamic().

Options: mode=static or mode=dynamic; form=qdq or form=qoperator; activation=int8 or uint8, and weight=int8 or uint8;
per_channel=1; disable=A,B, operators that stay in float32 ("all": every one).  Installed: site/ with onnxruntime, onnx
and what these need.
"""

import io
import logging
import os
import tempfile

from worker_types import Unsupported


def operators(registries, left_out):
    """What is to be quantized; the functions take an empty list for all, so that none is a name that is nobody's."""
    known = sorted({name for registry in registries for name in registry})
    return [name for name in known if name not in left_out and "all" not in left_out] or ["-"]


def settings(quantization, options):
    """What both functions are called with."""
    from onnxruntime.quantization import registry

    left_out = {word for word in options.get("disable", "").split(",") if word}
    dynamic = options.get("mode") == "dynamic"
    known = (registry.IntegerOpsRegistry,) if dynamic else (registry.QLinearOpsRegistry, registry.QDQRegistry)
    types = {"int8": quantization.QuantType.QInt8, "uint8": quantization.QuantType.QUInt8}
    given = {"op_types_to_quantize": operators(known, left_out), "per_channel": options.get("per_channel") == "1",
             "weight_type": types[options.get("weight", "int8")]}
    if not dynamic:
        forms = {"qdq": quantization.QuantFormat.QDQ, "qoperator": quantization.QuantFormat.QOperator}
        given["quant_format"] = forms[options.get("form", "qdq")]
        given["activation_type"] = types[options.get("activation", "int8")]
    return given


def check_inputs(onnx, model, values):
    """Sequences and optionals, and numbers of types that NumPy does not have, cannot be given to it from Python."""
    for port in onnx.load_from_string(model).graph.input:
        kind = port.type.tensor_type.elem_type  # 0: no tensor
        native = kind and onnx.helper.tensor_dtype_to_np_dtype(kind).type.__module__ == "numpy"
        if not native or port.name in values and values[port.name].dtype.kind == "V":
            raise Unsupported(f"input '{port.name}' has a type that cannot be given to calibrate with")


class Once:
    """Gives the inputs of the case, once."""

    def __init__(self, inputs):
        self.left = [inputs]

    def get_next(self):
        return self.left.pop() if self.left else None


def start():
    import numpy
    import onnx
    import onnxruntime
    from onnxruntime import quantization

    logging.getLogger().setLevel(logging.ERROR)  # each model is told that it might be pre-processed
    onnxruntime.set_default_logger_severity(4)

    def on_files(call, model, *more, **given):
        with tempfile.TemporaryDirectory() as folder:
            before, after = (os.path.join(folder, name) for name in ("model.onnx", "quantized.onnx"))
            with open(before, "wb") as f:
                f.write(model)
            call(before, after, *more, **given)
            with open(after, "rb") as f:
                return f.read()

    def configure(options):
        given = settings(quantization, options)

        def dynamic(model):
            return on_files(quantization.quantize_dynamic, model, **given)

        def static(model, inputs):
            with numpy.load(io.BytesIO(inputs)) as arrays:
                values = dict(arrays)
            check_inputs(onnx, model, values)
            if not values:
                raise Unsupported("a model without inputs cannot be calibrated")
            try:
                return on_files(quantization.quantize_static, model, Once(values), **given)
            except AssertionError as e:
                if str(e) == "scale issue":
                    raise Unsupported("a tensor has NaN in it, and no range") from e
                raise

        return dynamic if options.get("mode") == "dynamic" else static

    return onnxruntime.__version__, configure
