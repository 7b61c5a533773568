import io
import torch

def dtype(kind):
    return getattr(torch, kind)

def on_device(values):
    return torch.from_numpy(values).to(DEVICE or "cpu")

def tensor(kind, dims, values):
    return on_device(array(kind, dims, values))

def op(name, *arguments, **named):
    space, _, rest = name.rpartition("::")
    packet, _, overload = rest.partition(".")
    f = getattr(getattr(getattr(torch.ops, space or "aten"), packet), overload or "default")
    for a in f._schema.arguments[len(arguments):]:  # what may be None and has no default
        if a.name not in named and not a.has_default_value() and isinstance(a.type, torch.OptionalType):
            named[a.name] = None
    return f(*arguments, **named)

def out(result, i):
    return result[i] if isinstance(result, tuple) else result

def arrays(result):
    if isinstance(result, (tuple, list)):
        return [a for r in result for a in arrays(r)]
    return [result.detach().cpu().to_dense().numpy() if hasattr(result, "detach") else result]

def run(how, f, tensors):
    tensors = [on_device(t) for t in tensors]
    if how not in ("jit", "saved"):
        return f(*tensors)
    program = torch.jit.trace(f, tuple(t.clone() for t in tensors), check_trace=False)
    if how == "saved":
        file = io.BytesIO()
        torch.jit.save(program, file)
        program = torch.jit.load(io.BytesIO(file.getvalue()))
    return program(*tensors)

def slopes(f, tensors, head):
    """The sum of the float results times their heads, and its gradients."""
    tensors = [on_device(t).requires_grad_(t.dtype.kind == "f") for t in tensors]
    results = f(*tensors)
    results = [r for r in (results if isinstance(results, (tuple, list)) else [results]) if torch.is_floating_point(r)]
    wanted = [t for t in tensors if t.requires_grad]
    heads = [on_device(head(tuple(r.shape))) for r in results]
    found = iter(torch.autograd.grad(results, wanted, [h.to(r.dtype) for h, r in zip(heads, results)],
                                     allow_unused=True))
    gradients = [next(found) if t.requires_grad else None for t in tensors]
    return (sum((r.detach().double() * h).sum().item() for r, h in zip(results, heads)),
            [None if g is None else g.cpu().numpy() for g in gradients])
