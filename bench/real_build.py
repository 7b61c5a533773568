"""Builds models that users have and registries do not: run by bench/real, with a Python that has onnx and onnxruntime.

    real_build.py FOLDER          variants of FOLDER/*.onnx by ONNX Runtime's own optimizer and quantizers
    real_build.py FOLDER --torch  a small GPT by both exporters of PyTorch (needs torch and onnxscript)

A model that is there already is kept.  Prints one line for each: its name and kind, or why it could not be built.
"""

import os
import sys

import numpy as np
import onnx


# ---- variants of a model by ONNX Runtime ----------------------------------------------------------------------------

def calibration(path, sizes):
    """Three sets of random inputs for the quantizer, of the sizes given by name of the input."""
    import onnxruntime
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        def __init__(self):
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            random = np.random.default_rng(1)
            self.rows = iter([{i.name: self.one(random, i, sizes) for i in session.get_inputs()} for _ in range(3)])

        @staticmethod
        def one(random, i, sizes):
            shape = sizes.get(i.name) or [d if isinstance(d, int) else 1 for d in i.shape]
            if "int" in i.type:
                return random.integers(0, 9, shape).astype(np.int64 if "64" in i.type else np.int32)
            return random.uniform(-1, 1, shape).astype(np.float32)

        def get_next(self):
            return next(self.rows, None)

    return Reader()


def optimized(level):
    """As ONNX Runtime saves it: EXTENDED for any processor, ALL (its default) for this one, in blocks of channels."""
    def build(source, path, _):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
        options.optimized_model_filepath = path
        onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    return build


def dynamic(source, path, _):
    from onnxruntime.quantization import quantize_dynamic
    quantize_dynamic(source, path)


def static(form):
    def build(source, path, sizes):
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
        from onnxruntime.quantization.shape_inference import quant_pre_process
        prepared = path + ".prepared"
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        try:
            quantize_static(prepared, path, calibration(source, sizes), quant_format=QuantFormat[form],
                            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
        finally:
            os.unlink(prepared)
    return build


def int4(source, path, _):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    quantizer = MatMulNBitsQuantizer(onnx.load(source), block_size=32, is_symmetric=False, accuracy_level=0)
    quantizer.process()
    quantizer.model.save_model_to_file(path)


def float16(source, path, _):
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=True), path)


def external(source, path, _):
    onnx.save(onnx.load(source), path, save_as_external_data=True, location=os.path.basename(path) + ".data",
              size_threshold=1024)


def transformer(source, path, _, half=False):
    """The optimizer that people run on transformers: BiasGelu, SkipLayerNormalization and the like."""
    from onnxruntime.transformers.optimizer import optimize_model
    model = optimize_model(source, model_type="gpt2", num_heads=4, hidden_size=64, opt_level=0)
    if half:
        model.convert_float_to_float16()
    model.save_model_to_file(path)


def transformer_half(source, path, sizes):
    transformer(source, path, sizes, half=True)


KINDS = {  # kind: function
    "fused": optimized("EXTENDED"), "saved": optimized("ALL"), "int8 dynamic": dynamic, "int8 QDQ": static("QDQ"),
    "int8 QOperator": static("QOperator"),
    "int4": int4, "float16": float16, "external data": external, "transformer fused": transformer,
    "transformer fused float16": transformer_half,
}
IMAGE, LINE = {"x": [1, 3, 48, 192]}, {"x": [1, 3, 48, 96]}
VARIANTS = [  # source, kind, sizes of the calibration's inputs
    ("ppocr-v2-cls", "fused", {}), ("magika", "fused", {}), ("centerface", "fused", {}), ("tashkeel", "fused", {}),
    ("smart-turn", "fused", {}), ("ppocr-v5-rec", "fused", {}), ("swift-f0", "fused", {}),
    ("opennsfw", "saved", {}), ("nudenet", "saved", {}), ("orientation", "saved", {}), ("ppocr-v3-det", "saved", {}),
    ("ppocr-v6-tiny-rec", "int8 QDQ", LINE), ("ppocr-v5-cls", "int8 QDQ", IMAGE), ("alexa", "int8 QDQ", {}),
    ("orientation", "int8 QDQ", {}),
    ("ppocr-v6-tiny-rec", "int8 QOperator", LINE), ("ppocr-v5-cls", "int8 QOperator", IMAGE),
    ("alexa", "int8 QOperator", {}), ("orientation", "int8 QOperator", {}),
    ("weather", "int8 dynamic", {}), ("nakdimon", "int8 dynamic", {}), ("ppocr-v5-rec", "int8 dynamic", {}),
    ("ppocr-v5-rec", "int4", {}), ("alexa", "int4", {}), ("tashkeel", "int4", {}),
    ("orientation", "float16", {}), ("swift-f0", "float16", {}), ("ppocr-v5-cls", "float16", {}),
    ("ppocr-v5-cls", "external data", {}), ("opennsfw", "external data", {}),
]
GPT_VARIANTS = [
    ("gpt-script", "fused", {}), ("gpt-script", "transformer fused", {}), ("gpt-script", "int8 dynamic", {}),
    ("gpt-script", "transformer fused float16", {}), ("gpt-script", "int8 QDQ", {"ids": [1, 16]}),
    ("gpt-script", "int4", {}), ("gpt-script", "float16", {}), ("gpt-script", "external data", {}),
]


def variant_name(source, kind):
    return f"{source}-{kind.replace(' ', '-').lower()}"


# ---- a GPT by both exporters -----------------------------------------------------------------------------------------

def gpt():
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.qkv(self.before(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            score = (q @ k.transpose(-2, -1)) * (width // self.heads) ** -0.5
            mask = torch.ones(length, length, dtype=torch.bool).tril()
            score = score.masked_fill(~mask, float("-inf")).softmax(-1)
            x = x + self.out((score @ v).transpose(1, 2).reshape(batch, length, width))
            return x + self.narrow(nn.functional.gelu(self.wide(self.after(x))))

    class Gpt(nn.Module):
        def __init__(self, words=512, longest=64, width=64, layers=3):
            super().__init__()
            self.word, self.place = nn.Embedding(words, width), nn.Embedding(longest, width)
            self.blocks = nn.ModuleList(Block(width, 4) for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

        def forward(self, ids):
            x = self.word(ids) + self.place(torch.arange(ids.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    torch.manual_seed(7)
    return Gpt().eval()


def steps():
    """A loop whose length is an input, which only the exporter of scripts knows."""
    import torch

    class Steps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(16, 16)

        def forward(self, x, steps: int):
            for _ in range(steps):
                x = torch.tanh(self.linear(x)) + x
            return x

    torch.manual_seed(3)
    return torch.jit.script(Steps().eval())


def export_script(model, path, words, names, opset=17, **more):
    import torch
    torch.onnx.export(model, words, path, dynamo=False, opset_version=opset, input_names=names,
                      output_names=["y"], **more)


def gpt_script(path):
    import torch
    export_script(gpt(), path, (torch.zeros(1, 16, dtype=torch.int64),), ["ids"],
                  dynamic_axes={"ids": {0: "batch", 1: "length"}})


def gpt_dynamo(kind=None):
    def build(path):
        import torch
        model = gpt() if kind is None else gpt().to(getattr(torch, kind))
        length = torch.export.Dim("length", max=64)
        torch.onnx.export(model, (torch.zeros(2, 16, dtype=torch.int64),), path, dynamo=True, input_names=["ids"],
                          dynamic_shapes=({1: length},), external_data=False, verbose=False)
    return build


def loop_script(path):
    import torch
    export_script(steps(), path, (torch.zeros(2, 16), torch.tensor(3)), ["x", "steps"])


EXPORTS = {  # name: kind, function
    "gpt-script": ("exporter of scripts", gpt_script),
    "gpt-dynamo": ("dynamo exporter", gpt_dynamo()),
    "gpt-dynamo-f16": ("float16, dynamo exporter", gpt_dynamo("float16")),
    "gpt-dynamo-bf16": ("bfloat16, dynamo exporter", gpt_dynamo("bfloat16")),
    "loop-script": ("Loop, exporter of scripts", loop_script),
}


# ---- main ------------------------------------------------------------------------------------------------------------

def make(folder, name, kind, build, *words):
    path = os.path.join(folder, name + ".onnx")
    try:
        if not os.path.exists(path):
            build(*words, path) if not words else build(words[0], path, words[1])
        print(f"{name}\t{kind}\tok", flush=True)
    except Exception as e:  # pylint: disable=broad-except
        if os.path.exists(path):
            os.unlink(path)
        print(f"{name}\t{kind}\t{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}", flush=True)


def variants(folder, rows):
    for source, kind, sizes in rows:
        path = os.path.join(folder, source + ".onnx")
        make(folder, variant_name(source, kind), kind, KINDS[kind], path, sizes)


def main():
    folder = sys.argv[1]
    if "--torch" in sys.argv:
        for name, (kind, build) in EXPORTS.items():
            make(folder, name, kind, build)
    else:
        variants(folder, VARIANTS)
        if os.path.exists(os.path.join(folder, "gpt-script.onnx")):
            variants(folder, GPT_VARIANTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
