"""PyTorch's documented functions as a backend of equiv: torch.*, torch.nn, torch.Tensor's methods and others, by name.

Options: mode=..., one of Backend.modes; threads=N; device=cpu|cuda.
Installed: site/ with torch, numpy and what they need; libraries of NVIDIA's that torch links to are stubs.
"""

import ast
import inspect
import os
import tempfile
import warnings

import forms
import torchapi_saved
from worker_types import Unsupported

KEPT = 48  # compiled functions; after that all are forgotten
SEED = 20


class Backend(forms.Backend):
    library = "torch"
    SEED = SEED
    device = "cpu"
    # what a release does not have yet
    absent = (*forms.ABSENT, "has no attribute 'func'", "has no attribute 'compile'", "has no attribute 'export'",
              "has no attribute 'autocast'", "No module named")

    def open(self, folder, options):
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(os.getcwd(), "inductor"))
        warnings.filterwarnings("ignore")
        import torch

        self.torch, self.space, self.compiled, self.undefined = torch, {"torch": torch}, {}, {}
        torch.set_num_threads(int(options.get("threads", "1")))
        if options.get("device") == "cuda":
            self.use_gpu()
        self.reopen(options)
        if self.mode in ("aot", "dynamic", "inductor", "aotinductor"):  # the first takes long
            self.import_compiler()
        return torch.__version__.partition("+")[0]

    def use_gpu(self):
        """What a form makes is made there; products have all digits of their type."""
        torch = self.torch
        forms.check_gpu()
        self.device = "cuda"
        torch.set_default_device("cuda")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.deterministic = True
        torch.zeros(1)  # a copy of this process could not start the GPU

    @staticmethod
    def import_compiler():
        """Releases before 2.0 have none: there each call says what it lacks, and the other modes are compared."""
        try:
            import torch._dynamo
        except ModuleNotFoundError:
            return
        torch._dynamo.config.suppress_errors = False

    def names(self):
        torch = self.torch
        places = [(torch, "torch"), (torch.Tensor, "torch.Tensor")]
        for part in ("nn.functional", "linalg", "fft", "special", "sparse", "signal.windows", "masked"):
            module = torch
            for name in part.split("."):
                module = getattr(module, name, None)
            if inspect.ismodule(module):  # older releases have fewer, and torch.fft is a function there
                places.append((module, f"torch.{part}"))
        names = forms.public_of(places, forms.is_function)
        modules = forms.public(torch.nn, "torch.nn", lambda v: isinstance(v, type) and issubclass(v, torch.nn.Module))
        names.update(modules)
        return names

    def made(self, form, seed=SEED):
        """The module of a form, with the same numbers in every process and on every device."""
        self.torch.manual_seed(seed)
        if self.device == "cpu":
            made = form.make()
        else:
            with self.torch.device("cpu"):
                made = form.make()
            made = made.to(self.device) if isinstance(made, self.torch.nn.Module) else made
        return made.eval() if hasattr(made, "eval") else made

    def call(self, form, arrays):
        if self.mode != "eager" or self.device != "cpu":
            self.check_defined(form, arrays)
        return super().call(form, arrays)

    def random_state(self):
        return self.torch.cuda.get_rng_state() if self.device == "cuda" else self.torch.get_rng_state()

    def check_defined(self, form, arrays):
        """What draws random numbers, or shows memory that nobody set, gives nothing that another way must give, too."""
        key = form.text, tuple((a.dtype, a.shape) for a in arrays)
        if self.undefined.get(key) is None:
            try:
                self.undefined[key] = self.find_undefined(form, [self.tensor(a) for a in arrays], key in self.undefined)
            except Exception:  # the mode itself will say so; of other numbers nothing is known yet
                return
        if self.undefined[key]:
            raise Unsupported(self.undefined[key])

    def find_undefined(self, form, tensors, again):
        """Some draw for some numbers alone (rrelu for those below 0), so each call is asked about that."""
        torch, f = self.torch, self.function(form)
        state = self.random_state()
        plain = f(*[t.clone() for t in tensors])
        if not torch.equal(state, self.random_state()):
            return "it draws random numbers"
        if again or not hasattr(torch.utils, "deterministic"):  # since 2.2
            return None
        torch.use_deterministic_algorithms(True, warn_only=True)  # fills memory that is not set
        try:
            filled = f(*[t.clone() for t in tensors])
        finally:
            torch.use_deterministic_algorithms(False)
        pairs = zip(forms.leaves(plain, torch.is_tensor), forms.leaves(filled, torch.is_tensor))
        return "memory that is not set" if any(self.shows_filling(p, q) for p, q in pairs) else None

    def shows_filling(self, plain, filled):
        torch = self.torch
        if not torch.is_tensor(filled) or filled.layout != torch.strided or filled.dtype == torch.bool:
            return False
        if filled.is_floating_point() or filled.is_complex():
            return bool((filled.isnan() & ~plain.isnan()).any())
        most = torch.iinfo(filled.dtype).max
        return bool(((filled == most) & (plain != most)).any())

    def direction(self, shape, dtype, start):
        return self.torch.from_numpy(forms.direction(shape, start)).to(dtype)

    def tensor(self, array):
        return self.torch.from_numpy(array.copy()).to(self.device)

    def is_array(self, value):
        return self.torch.is_tensor(value)

    def array(self, value):
        torch = self.torch
        if not torch.is_tensor(value):
            value = torch.tensor(value)
        value = value.detach()
        if hasattr(value, "resolve_conj"):  # since 1.10
            value = value.resolve_conj().resolve_neg()
        if value.layout != torch.strided:
            value = value.to_dense()
        if value.is_quantized:
            value = value.dequantize()
        if value.dtype == torch.bfloat16:
            value = value.to(torch.float32)
        if str(value.dtype).startswith(("torch.float8", "torch.complex32", "torch.q")):
            raise Unsupported(f"a result of {value.dtype}")
        return value.contiguous().cpu().numpy()


# ---- modes: the same call in another way ---------------------------------------------------------------------------


def eager(b, form, tensors):
    return b.function(form)(*tensors)


def whole(b, form):
    """A module that gives what a form gives."""
    class Program(b.torch.nn.Module):
        def __init__(self, made):
            super().__init__()
            self.made = made
            self.f = form.function(made)

        def forward(self, *tensors):
            return self.f(*tensors)

    return Program(b.made(form)).eval()


def traced(b, form, tensors):
    return b.torch.jit.trace(whole(b, form), tuple(t.clone() for t in tensors), check_trace=False)


def trace(b, form, tensors):
    program = traced(b, form, tensors)
    for _ in range(2):  # what a first run shows is what later ones are optimized by
        program(*[t.clone() for t in tensors])
    b.torch.manual_seed(SEED)  # a plain call draws the first numbers, not those after these runs
    return program(*tensors)


def frozen(b, form, tensors):
    """TorchScript of constants, all tensors but the first and those of a module: what hangs on them alone is folded."""
    if len(tensors) < 2 and not isinstance(b.made(form), b.torch.nn.Module):
        raise Unsupported("nothing is constant")

    class Frozen(b.torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.program = whole(b, form)
            for i, t in enumerate(tensors[1:]):
                self.register_buffer(f"t{i}", t.clone())

        def forward(self, *first):
            return self.program(*first, *self.buffers(recurse=False))

    def first():  # a form may write into it, and tracing runs the form
        return tuple(t.clone() for t in tensors[:1])

    program = b.torch.jit.freeze(b.torch.jit.trace(Frozen().eval(), first(), check_trace=False))
    for _ in range(2):  # as for trace
        program(*first())
    b.torch.manual_seed(SEED)
    return program(*first())


def exported(b, form, tensors):
    return b.torch.export.export(whole(b, form), tuple(t.clone() for t in tensors))


def export(b, form, tensors):
    return exported(b, form, tensors).module()(*tensors)


def compiled(backend, dynamic=False):
    def run(b, form, tensors):
        key = (b.mode, form.text, tuple(t.dtype for t in tensors))
        if key not in b.compiled:
            if len(b.compiled) == KEPT:
                b.compiled.clear()
                b.torch._dynamo.reset()
            b.compiled[key] = b.torch.compile(b.function(form), backend=backend, dynamic=dynamic)
        return b.compiled[key](*tensors)
    return run


def aotinductor(b, form, tensors):
    """Compiled ahead of time, into a file, and loaded from there.  A compiler of C++ takes long: a program is kept."""
    inductor = b.torch._inductor
    if not hasattr(inductor, "aoti_compile_and_package"):  # since 2.6
        raise Unsupported("no AOTInductor")

    def build():
        program = exported(b, form, tensors)
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            path = inductor.aoti_compile_and_package(program, package_path=os.path.join(folder, "program.pt2"))
            return inductor.aoti_load_package(path)
    return b.kept((form.text, tuple((t.dtype, t.shape) for t in tensors)), build)(*tensors)


def autocast(b, form, tensors):
    with b.torch.autocast("cpu", dtype=b.torch.bfloat16):
        return b.function(form)(*tensors)


def decomposed(b, form, tensors):
    from torch._decomp import decomposition_table
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(b.function(form), decomposition_table=decomposition_table)(*[t.clone() for t in tensors])
    return graph(*tensors)


def with_gaps(b, t):
    """The same numbers, every second of a longer row."""
    if not t.dim():
        return t
    wide = b.torch.zeros([*t.shape[:-1], 2 * t.shape[-1]], dtype=t.dtype)
    wide[..., ::2] = t
    return wide[..., ::2]


def strided(b, form, tensors):
    return b.function(form)(*[with_gaps(b, t) for t in tensors])


def channels_last(b, form, tensors):
    formats = {4: b.torch.channels_last, 5: b.torch.channels_last_3d}
    if not any(t.dim() in formats for t in tensors):
        raise Unsupported("no tensor with channels")
    return b.function(form)(
        *[t.contiguous(memory_format=formats[t.dim()]) if t.dim() in formats else t for t in tensors])


def vmap(b, form, tensors):
    """Of two that are the same the first."""
    if not tensors:
        raise Unsupported("no tensor")
    both = b.torch.func.vmap(b.function(form), randomness="error")(*[b.torch.stack([t, t]) for t in tensors])
    items = forms.leaves(both, b.torch.is_tensor)
    return [v[0] if b.torch.is_tensor(v) and v.dim() else v for v in items]


def called(form):
    """Name and call of a function of torch: torch.linalg.inv(t0)."""
    call = form.tree.body
    if form.made is not None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        raise Unsupported("no call of a function")
    parts, at = [], call.func
    while isinstance(at, ast.Attribute):
        parts.insert(0, at.attr)
        at = at.value
    return ".".join([at.id if isinstance(at, ast.Name) else "", *parts]), call


def out(b, form, tensors):
    name, call = called(form)
    if not name.startswith("torch.") or any(k.arg == "out" for k in call.keywords):
        raise Unsupported("no function of torch")
    plain = form.function()(*[t.clone() for t in tensors])
    given = b.torch.utils._pytree.tree_map(
        lambda r: b.torch.full_like(r, 7) if b.torch.is_tensor(r) and r.layout == b.torch.strided else r, plain)
    longer = ast.Call(call.func, call.args, [*call.keywords, ast.keyword("out", ast.Name("out", ast.Load()))])
    f = form.function(None, ast.Expression(longer), ["out"])
    try:
        f(*tensors, given)
    except TypeError as e:  # it has no such argument
        raise Unsupported(str(e)) from None
    return given


def in_place(b, form, tensors):
    name, call = called(form)
    last = name.rpartition(".")[2]
    method = None if name.startswith("torch.nn") or last.endswith("_") else getattr(b.torch.Tensor, last + "_", None)
    first = call.args[0] if name.startswith("torch.") and call.args else call.func.value
    if not method or not isinstance(first, ast.Name) or first.id not in form.variables:
        raise Unsupported("no form that writes into its argument")
    rest = call.args[1:] if name.startswith("torch.") else call.args
    written = ast.Call(ast.Attribute(first, last + "_", ast.Load()), rest, call.keywords)
    return form.function(None, ast.Expression(written))(*tensors)


def derivable(b, tensors):
    chosen = [i for i, t in enumerate(tensors) if t.is_floating_point()]
    if not chosen:
        raise Unsupported("no tensor of floats")
    return chosen


def check_digits(b, results, moved):
    """A call that rounds to a lower type does so to directions in forward mode and to gradients in reverse mode: how
    far these are apart depends on numbers that no nudge moves."""
    def step(t):
        return b.torch.finfo(t.dtype).eps

    if max(map(step, results)) > max(map(step, moved)):
        raise Unsupported("a result of fewer digits than what it is derived by")


def weighed(b, form, tensors, chosen):
    """Σ head · result, as a function of the tensors that are derived by."""
    f = b.function(form)

    def total(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        results = [r for r in forms.leaves(f(*full), b.torch.is_tensor)
                   if b.torch.is_tensor(r) and r.is_floating_point()]
        if not results:
            raise Unsupported("no result of floats")
        check_digits(b, results, moved)
        return sum((r * b.torch.from_numpy(b.head(r.shape, k)).to(r.dtype)).sum() for k, r in enumerate(results))
    return total


def along(b, moved):
    return tuple(b.torch.from_numpy(b.along(t.shape, i)).to(t.dtype) for i, t in enumerate(moved))


def slope(b, gradients, moved):
    """The derivative along the direction."""
    return sum((g * d).sum() for g, d in zip(gradients, along(b, moved)) if g is not None)


def recorded(b, form, tensors):
    """Σ head · result, and the tensors that it is to be derived by."""
    chosen = derivable(b, tensors)
    moved = [tensors[i].clone().requires_grad_() for i in chosen]
    y = weighed(b, form, tensors, chosen)(*moved)
    forms.check_value(y)
    if not y.requires_grad:
        raise Unsupported("no derivative")
    return y, moved


def reverse(b, form, tensors):
    y, moved = recorded(b, form, tensors)
    return slope(b, b.torch.autograd.grad(y, moved, allow_unused=True), moved)


def forward(b, form, tensors):
    chosen = derivable(b, tensors)
    moved = tuple(tensors[i].clone() for i in chosen)
    y, tangent = b.torch.func.jvp(weighed(b, form, tensors, chosen), moved, along(b, moved))
    forms.check_value(y)
    return tangent


def accumulated(b, form, tensors):
    """Two halves of the gradient, one after the other, in .grad."""
    chosen = derivable(b, tensors)
    moved = [tensors[i].clone().requires_grad_() for i in chosen]
    total = weighed(b, form, tensors, chosen)
    for _ in range(2):
        y = total(*moved)
        forms.check_value(y)
        if not y.requires_grad:
            raise Unsupported("no derivative")
        y.backward(b.torch.full_like(y, 0.5))
    return slope(b, [t.grad for t in moved], moved)


def second(b, form, tensors):
    """The gradient of the derivative along the direction: reverse mode of reverse mode."""
    y, moved = recorded(b, form, tensors)
    first = slope(b, b.torch.autograd.grad(y, moved, allow_unused=True, create_graph=True), moved)
    forms.check_value(first)
    if not b.torch.is_tensor(first) or not first.requires_grad:
        raise Unsupported("no second derivative")
    found = b.torch.autograd.grad(first, moved, allow_unused=True)
    return [b.torch.zeros_like(t) if g is None else g for g, t in zip(found, moved)]


def second_forward(b, form, tensors):
    """The derivative of the gradient along the direction: forward mode of reverse mode, which is the same."""
    chosen = derivable(b, tensors)
    moved = tuple(tensors[i].clone() for i in chosen)
    total = weighed(b, form, tensors, chosen)
    forms.check_value(total(*moved))
    gradient = b.torch.func.grad(total, argnums=tuple(range(len(moved))))
    gradients, tangents = b.torch.func.jvp(gradient, moved, along(b, moved))
    forms.check_value(slope(b, gradients, moved))
    return list(tangents)


Backend.modes = {
    "eager": eager, "trace": trace, "frozen": frozen, "export": export, "aot": compiled("aot_eager"),
    "dynamic": compiled("aot_eager", True), "inductor": compiled("inductor"), "aotinductor": aotinductor,
    "autocast": autocast, "decomposed": decomposed, "strided": strided, "channels_last": channels_last, "vmap": vmap,
    "out": out, "in_place": in_place, "reverse": reverse, "forward": forward, "accumulated": accumulated,
    "second": second, "second_forward": second_forward, **torchapi_saved.modes(traced, exported)}
