"""Forms of PyTorch's documented functions, from the samples that it ships for its own tests."""

import itertools
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

import torch_chains
from torchapi_worker import Backend

MOST = 600  # elements of a form's tensors
LOOKED_AT = 12  # samples of an operation and a type
CHOSEN = {torch.float32: 4, torch.complex64: 1, torch.int64: 1}
TYPES = {"float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64", "complex128"}


# whole networks, for files and batches, of plain numbers (one NaN makes NaN of all)
NETWORKS = (
    ("t0:float32.plain[2,1,28,28]", "Conv2d(1, 6, 5, padding=2)", "Tanh()", "AvgPool2d(2)", "Conv2d(6, 16, 5)",
     "Tanh()", "AvgPool2d(2)", "Flatten()", "Linear(400, 120)", "Tanh()", "Linear(120, 84)", "Tanh()",
     "Linear(84, 10)"),
    ("t0:float32.plain[2,3,16,16]", "Conv2d(3, 8, 3, padding=1)", "BatchNorm2d(8)", "ReLU()", "MaxPool2d(2)",
     "Conv2d(8, 16, 3, padding=1, bias=False)", "BatchNorm2d(16)", "LeakyReLU(0.1)", "MaxPool2d(2)", "Flatten()",
     "Dropout(0.5)", "Linear(256, 5)", "LogSoftmax(1)"),
    ("t0:float32.plain[2,3,16,16]", "Conv2d(3, 8, 3, stride=2, padding=1)", "Hardswish()",
     "Conv2d(8, 8, 3, padding=1, groups=8)", "GroupNorm(2, 8)", "Conv2d(8, 16, 1)", "SiLU()", "AdaptiveAvgPool2d(1)",
     "Flatten()", "Linear(16, 5)"),
    ("t0:float32.plain[2,4,4,4]", "ConvTranspose2d(4, 8, 3, stride=2)", "InstanceNorm2d(8, affine=True)", "PReLU()",
     "Upsample(scale_factor=2, mode='bilinear')", "Conv2d(8, 12, 3)", "PixelShuffle(2)", "Sigmoid()"),
    ("t0:float32.plain[2,6,8]",
     "TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 2)",
     "LayerNorm(8)", "Linear(8, 3)"),
    ("t0:int64.below5[2,6]", "Embedding(5, 8)", "Conv1d(6, 6, 3, padding=1)", "GELU()", "Flatten()",
     "Linear(48, 3)"),
)


class NoText(Exception):
    """Something that a form has no words for."""


class Writer:
    """Arguments as text; tensors of the main type become variables, others stand where they are."""

    def __init__(self, dtype):
        self.dtype, self.variables, self.elements = dtype, [], 0

    def tensor(self, t):
        kind = str(t.dtype).partition(".")[2]
        if t.layout != torch.strided or t.is_quantized or kind not in TYPES:
            raise NoText
        self.elements += t.numel()
        if self.elements > MOST:
            raise NoText
        if t.dtype != self.dtype and not t.is_floating_point():
            return f"torch.tensor({t.tolist()}, dtype={t.dtype})" if t.numel() else \
                f"torch.zeros({list(t.shape)}, dtype={t.dtype})"
        name = f"t{len(self.variables)}"
        self.variables.append(f"{name}:{kind}[{','.join(map(str, t.shape))}]")
        return name

    def text(self, v):
        if torch.is_tensor(v):
            return self.tensor(v)
        if isinstance(v, (bool, int, str, type(None), torch.dtype)) or v is Ellipsis:
            return repr(v) if v is not Ellipsis else "..."
        if isinstance(v, float):
            return {"inf": "torch.inf", "-inf": "-torch.inf", "nan": "torch.nan"}.get(repr(v), repr(v))
        if isinstance(v, tuple):
            return "(" + "".join(self.text(i) + ", " for i in v) + ")"
        if isinstance(v, list):
            return "[" + ", ".join(map(self.text, v)) + "]"
        if isinstance(v, (torch.memory_format, torch.layout)):
            return str(v)
        raise NoText

    def arguments(self, args, kwargs):
        return ", ".join([self.text(a) for a in args] + [f"{k}={self.text(v)}" for k, v in kwargs.items()])


def spread(items, n):
    """n of them, the first and the last among them."""
    return items if len(items) <= n else [items[i * (len(items) - 1) // max(n - 1, 1)] for i in range(n)]


def samples(info, dtype):
    try:
        return list(itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), LOOKED_AT))
    except Exception:  # a table of the package's own that does not work here
        return []


def calls(info):
    """Arguments of one operation: (text of the first, text of the rest, variables)."""
    for dtype, n in CHOSEN.items():
        if dtype not in info.supported_dtypes("cpu"):
            continue
        written = {}
        for s in samples(info, dtype):
            w = Writer(dtype)
            try:
                first, rest = w.text(s.input), w.arguments(s.args, s.kwargs)
            except NoText:
                continue
            if w.variables and len(w.variables) <= 24:
                written.setdefault((" ".join(w.variables), first, rest))
        yield from spread(list(written), n)


def names_of(info, known):
    """Documented names of an operation with the way to call each; {0}: its first argument, {1}: the others."""
    plain = [info.name, *(a.name for a in info.aliases)]
    for name in plain:
        if f"torch.{name}" in known:
            yield f"torch.{name}", f"torch.{name}({{0}}{{2}}{{1}})"
        if f"torch.Tensor.{name}" in known and "." not in name:
            yield f"torch.Tensor.{name}", f"{{0}}.{name}({{1}})"
        if f"torch.Tensor.{name}_" in known and "." not in name and info.inplace_variant:
            yield f"torch.Tensor.{name}_", f"{{0}}.{name}_({{1}})"


def works(backend, form):
    """Whether the library takes it, with any numbers."""
    f = backend.form(form)
    tensors = []
    for v in form.partition(" | ")[0].split():
        kind, _, sizes = v.partition(":")[2].partition("[")
        kind = kind.partition(".")[0]  # behind it: what numbers
        shape = [int(n) for n in sizes[:-1].split(",") if n]
        count = 1
        for n in shape:
            count *= n
        tensors.append(((torch.arange(count) % 5 + 1) / 4).reshape(shape).to(getattr(torch, kind)).numpy())
    try:
        return bool(backend.call(f, tensors))
    except Exception:
        return False


def with_number(name, form):
    """A number in place of the second of two tensors without axes: functions of elements take both."""
    if form == f"t0:float32[] t1:float32[] | {name}(t0, t1)":
        yield f"t0:float32[5] | {name}(t0, 1.5)"


def module_forms(backend, known):
    for info in module_db:
        name = f"torch.nn.{info.module_cls.__name__}"
        if name not in known:
            continue
        written = {}
        try:
            inputs = list(info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False,
                                                  training=False))
        except Exception:
            continue
        for i in inputs:
            made, w = Writer(None), Writer(torch.float32)
            try:
                made_text = made.arguments(i.constructor_input.args, i.constructor_input.kwargs)
                call = w.arguments(i.forward_input.args, i.forward_input.kwargs) if i.forward_input else None
            except NoText:
                continue
            if w.variables and not made.variables and call:
                written.setdefault(f"{' '.join(w.variables)} | {name}({made_text}) | m({call})")
        for form in spread(list(written), 6):
            yield name, form


def network_forms():
    for variables, *layers in NETWORKS:
        made = ", ".join(f"torch.nn.{layer}" for layer in layers)
        yield "torch.nn.Sequential", f"{variables} | torch.nn.Sequential({made}) | m(t0)"


def forms():
    warnings.filterwarnings("ignore")
    backend = Backend()
    backend.open("", {})
    known, done = backend.names(), set()

    def is_new(name, form):
        if '"' in form or "\t" in form or (name, form) in done or not works(backend, form):
            return False
        done.add((name, form))
        return True

    for info in sorted(op_db, key=lambda info: info.name):
        ways = list(names_of(info, known))
        for variables, first, rest in calls(info) if ways else ():
            for name, way in ways:
                form = f"{variables} | {way.format(first, rest, ', ' if rest else '')}"
                for made in (form, *with_number(name, form)):
                    if is_new(name, made):
                        yield name, made
    for name, form in itertools.chain(module_forms(backend, known), network_forms(), torch_chains.chains()):
        if name in known and is_new(name, form):
            yield name, form
