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
        form_of.update(made=made[0], m=eval(made[0]).eval())
    names = [v.partition(":")[0] for v in variables.split()]
    tree = form_of.get("change", lambda t: t)(ast.parse(call, mode="eval"))
    code = compile(ast.fix_missing_locations(tree), "form", "eval")
    return eval(code, {"torch": torch, **form_of, **dict(zip(names, tensors))})

def is_array(value):
    return torch.is_tensor(value)

def arrays(result):
    found = [torch.as_tensor(r).detach().resolve_conj().resolve_neg() for r in leaves(result)]
    found = [r.float() if r.dtype == torch.bfloat16 else r for r in found]
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

def derived(how, f, tensors, number):
    chosen = [i for i, t in enumerate(tensors) if t.is_floating_point()]
    every = tuple(range(len(chosen)))

    def total(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        results = [r for r in leaves(f(*full)) if torch.is_tensor(r) and r.is_floating_point()]
        return sum((r * torch.from_numpy(weight(number, r.shape, k)).to(r.dtype)).sum() for k, r in enumerate(results))

    def slope(gradients):
        return sum((g * d).sum() for g, d in zip(gradients, directions) if g is not None)

    moved = [tensors[i].clone().requires_grad_("forward" not in how) for i in chosen]
    directions = tuple(torch.from_numpy(along(number, t.shape, i)).to(t.dtype) for i, t in enumerate(moved))
    if "forward" in how:
        derive = total if how == "forward" else torch.func.grad(total, argnums=every)
        return torch.func.jvp(derive, tuple(moved), directions)[1]
    if how == "accumulated":
        for _ in range(2):
            y = total(*moved)
            y.backward(torch.full_like(y, 0.5))
        return slope([t.grad for t in moved])
    gradients = torch.autograd.grad(total(*moved), moved, allow_unused=True, create_graph=how == "second")
    if how == "reverse":
        return slope(gradients)
    found = torch.autograd.grad(slope(gradients), moved, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g for g, t in zip(found, moved)]

def through(save, load, name="file"):
    """What is read of what was written."""
    with tempfile.TemporaryDirectory() as folder:
        save(os.path.join(folder, name))
        return load(os.path.join(folder, name))

def other():
    """Another module of the form, with other weights."""
    torch.manual_seed(21)
    return eval(form_of["made"]).eval()

def saved(how, f, tensors):
    if how.startswith("saved_trace"):
        program = torch.jit.trace(program_of(f), tuple(t.clone() for t in tensors), check_trace=False)
        return through(lambda p: torch.jit.save(program, p), torch.jit.load)(*tensors)
    if how == "saved_export":
        program = torch.export.export(program_of(f), tuple(t.clone() for t in tensors))
        return through(lambda p: torch.export.save(program, p), lambda p: torch.export.load(p)).module()(*tensors)
    if how == "items":
        return torch.cat([f(*[t[i:i + 1] for t in tensors]) for i in range(tensors[0].shape[0])])
    m = form_of["m"]
    if how == "state_dict":
        state = through(lambda p: torch.save(m.state_dict(), p), lambda p: torch.load(p, weights_only=True))
        form_of["m"] = other()
        form_of["m"].load_state_dict(state)
    else:
        form_of["m"] = through(lambda p: torch.save(m, p, _use_new_zipfile_serialization=how != "saved_old"),
                               lambda p: torch.load(p, weights_only=False))
    return f(*tensors)

def frozen(f, tensors):
    """All tensors but the first, and those of a module, are constants: what is constant is folded."""
    class Frozen(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.program = program_of(f)
            for i, t in enumerate(tensors[1:]):
                self.register_buffer(f"t{i}", t)

        def forward(self, *first):
            return self.program(*first, *self.buffers(recurse=False))
    def first():
        return tuple(t.clone() for t in tensors[:1])
    program = torch.jit.freeze(torch.jit.trace(Frozen().eval(), first(), check_trace=False))
    return [program(*first()) for _ in range(3)][2]

def program_of(f):
    class Program(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.made = form_of.get("m")

        def forward(self, *tensors):
            return f(*tensors)
    return Program().eval()

def on_gpu(f, tensors):
    """What a form makes is made there; products have all digits of their type."""
    torch.set_default_device("cuda")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if "m" in form_of:
        form_of["m"] = form_of["m"].to("cuda")
    return [r.cpu() if torch.is_tensor(r) else r for r in leaves(f(*[t.cuda() for t in tensors]))]

def step(f, optimizer, tensors):
    results = [r for r in leaves(f(*tensors)) if torch.is_tensor(r) and r.is_floating_point()]
    loss = sum((r * torch.from_numpy(pattern(r.shape, 3 * k + 1)).to(r.dtype)).sum() for k, r in enumerate(results))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()

def trained(how, f, tensors):
    """Two steps, perhaps a checkpoint, two more."""
    optimizer = torch.optim.Adam(form_of["m"].parameters(), lr=0.01)
    losses = [step(f, optimizer, tensors) for _ in range(2)]
    if how == "resumed":
        state = {"module": form_of["m"].state_dict(), "optimizer": optimizer.state_dict()}
        state = through(lambda p: torch.save(state, p), lambda p: torch.load(p, weights_only=True))
        form_of["m"] = other()
        optimizer = torch.optim.Adam(form_of["m"].parameters(), lr=0.5)
        form_of["m"].load_state_dict(state["module"])
        optimizer.load_state_dict(state["optimizer"])
    losses += [step(f, optimizer, tensors) for _ in range(2)]
    return losses + [p.detach() for p in form_of["m"].parameters()]

DERIVED = ("reverse", "forward", "accumulated", "second", "second_forward")

def run(how, f, tensors, number=0):
    tensors = [torch.from_numpy(t.copy()) for t in tensors]
    copies = tuple(t.clone() for t in tensors)
    if how not in ("", *DERIVED):
        f(*[t.clone() for t in tensors])  # makes what is made once
    if how.startswith("saved") or how in ("state_dict", "items"):
        return saved(how, f, tensors)
    if how in ("trained", "resumed"):
        return trained(how, f, tensors)
    if how == "trace":
        program = torch.jit.trace(program_of(f), copies, check_trace=False)
        return [program(*[t.clone() for t in tensors]) for _ in range(3)][2]
    if how == "frozen":
        return frozen(f, copies)
    if how == "export":
        return torch.export.export(program_of(f), copies).module()(*tensors)
    if how in ("aot", "dynamic", "inductor"):
        return torch.compile(f, backend=how if how == "inductor" else "aot_eager", dynamic=how == "dynamic")(*tensors)
    if how == "aotinductor":
        program = torch.export.export(program_of(f), copies)
        return through(lambda p: torch._inductor.aoti_compile_and_package(program, package_path=p),
                       torch._inductor.aoti_load_package, "program.pt2")(*tensors)
    if how == "cuda":
        return on_gpu(f, tensors)
    if how == "autocast":
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return f(*tensors)
    if how == "decomposed":
        from torch._decomp import decomposition_table
        from torch.fx.experimental.proxy_tensor import make_fx
        return make_fx(f, decomposition_table=decomposition_table)(*copies)(*tensors)
    if how == "vmap":
        both = torch.func.vmap(f, randomness="error")(*[torch.stack([t, t]) for t in tensors])
        return [v[0] if torch.is_tensor(v) and v.dim() else v for v in leaves(both)]
    if how in DERIVED:
        return derived(how, f, tensors, number)
    if how == "out":
        return into(f, tensors)
    if how == "in_place":
        form_of["change"] = in_place
    change = {"strided": with_gaps, "channels_last": layout}.get(how, lambda t: t)
    return f(*[change(t) for t in tensors])
