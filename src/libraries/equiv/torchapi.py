import ast
import os
import warnings
warnings.filterwarnings("ignore")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(tempfile.gettempdir(), "inductor"))
import torch
form_of = {}

def dtype(kind):
    return getattr(torch, kind)

def tensor(kind, dims, values):
    return torch.from_numpy(array(kind, dims, values))

def op(name, form, tensors=()):
    """What the form says: a call in Python, and before it what is made of the same random numbers every time."""
    variables, *made, call = form.split(" | ")
    if made and "m" not in form_of:
        torch.manual_seed(20)
        form_of["m"] = eval(made[0]).eval()
    names = [v.partition(":")[0] for v in variables.split()]
    tree = form_of.get("change", lambda t: t)(ast.parse(call, mode="eval"))
    code = compile(ast.fix_missing_locations(tree), "form", "eval")
    return eval(code, {"torch": torch, **form_of, **dict(zip(names, tensors))})

def is_array(value):
    return torch.is_tensor(value)

def arrays(result):
    found = [torch.as_tensor(r).detach().resolve_conj().resolve_neg() for r in leaves(result)]
    return [(r.to_dense() if r.layout != torch.strided else r).contiguous().numpy() for r in found]

def with_gaps(t):
    if not t.dim():
        return t
    wide = torch.zeros([*t.shape[:-1], 2 * t.shape[-1]], dtype=t.dtype)
    wide[..., ::2] = t
    return wide[..., ::2]

def layout(t):
    last = {4: torch.channels_last, 5: torch.channels_last_3d}
    return t.contiguous(memory_format=last[t.dim()]) if t.dim() in last else t

def in_place(tree):
    call = tree.body
    free = ast.unparse(call.func).startswith("torch.")
    first, rest = (call.args[0], call.args[1:]) if free else (call.func.value, call.args)
    return ast.Expression(ast.Call(ast.Attribute(first, call.func.attr + "_", ast.Load()), rest, call.keywords))

def with_out(tree):
    call = tree.body
    given = ast.keyword("out", ast.Name("given", ast.Load()))
    return ast.Expression(ast.Call(call.func, call.args, [*call.keywords, given]))

def into(f, tensors):
    given = torch.utils._pytree.tree_map(lambda r: torch.full_like(r, 7) if torch.is_tensor(r) else r,
                                         f(*[t.clone() for t in tensors]))
    form_of.update(given=given, change=with_out)
    f(*tensors)
    return given

def direction(shape, kind, start):
    count = int(np.prod(shape))
    pattern = torch.tensor([1.0, -0.5, 0.75, -1.0, 0.5, 0.25, -0.75])
    return pattern[(torch.arange(count) + start) % 7].reshape(shape).to(kind)

def derived(how, f, tensors):
    chosen = [i for i, t in enumerate(tensors) if t.is_floating_point()]

    def total(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        results = [r for r in leaves(f(*full)) if torch.is_tensor(r) and r.is_floating_point()]
        return sum((r * direction(r.shape, r.dtype, 3 * k + 1)).sum() for k, r in enumerate(results))

    moved = [tensors[i].clone().requires_grad_(how == "reverse") for i in chosen]
    directions = tuple(direction(t.shape, t.dtype, i) for i, t in enumerate(moved))
    if how == "forward":
        return torch.func.jvp(total, tuple(moved), directions)[1]
    gradients = torch.autograd.grad(total(*moved), moved, allow_unused=True)
    return sum((g * d).sum() for g, d in zip(gradients, directions) if g is not None)

def run(how, f, tensors):
    tensors = [torch.from_numpy(t.copy()) for t in tensors]
    copies = tuple(t.clone() for t in tensors)
    if how == "trace":
        program = torch.jit.trace(f, copies, check_trace=False)
        return [program(*[t.clone() for t in tensors]) for _ in range(3)][2]
    if how == "export":
        class Program(torch.nn.Module):
            def forward(self, *tensors):
                return f(*tensors)
        return torch.export.export(Program(), copies).module()(*tensors)
    if how in ("aot", "inductor"):
        f(*copies)  # makes what is made once
        return torch.compile(f, backend={"aot": "aot_eager"}.get(how, how), dynamic=False)(*tensors)
    if how == "decomposed":
        from torch._decomp import decomposition_table
        from torch.fx.experimental.proxy_tensor import make_fx
        return make_fx(f, decomposition_table=decomposition_table)(*copies)(*tensors)
    if how == "vmap":
        both = torch.func.vmap(f, randomness="error")(*[torch.stack([t, t]) for t in tensors])
        return [v[0] if torch.is_tensor(v) and v.dim() else v for v in leaves(both)]
    if how in ("reverse", "forward"):
        return derived(how, f, tensors)
    if how == "out":
        return into(f, tensors)
    if how == "in_place":
        form_of["change"] = in_place
    change = {"strided": with_gaps, "channels_last": layout}.get(how, lambda t: t)
    return f(*[change(t) for t in tensors])
