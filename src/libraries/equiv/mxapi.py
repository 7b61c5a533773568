import os
import tempfile
import types
import warnings
warnings.filterwarnings("ignore")
import mxnet as mx
mx.npx.set_np()
packages = {"mx": mx}

def dtype(kind):
    return np.dtype(kind)

def tensor(kind, dims, values):
    made = array(kind, dims, values)
    return mx.np.array(made, dtype=made.dtype)

def is_array(value):
    return isinstance(value, (mx.np.ndarray, np.ndarray, np.generic))

def op(name, form, tensors=()):
    return called(form, tensors, packages)

def arrays(result):
    return [r.asnumpy() if isinstance(r, mx.np.ndarray) else np.asarray(r) for r in leaves(result)]

def hybridized(f, tensors, keep=False, **how):
    class Call(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *inputs):
            result = f(*inputs)
            return tuple(result) if isinstance(result, list) else result
    packages["mx"] = types.SimpleNamespace(np=mx.sym.np, npx=mx.sym.npx)
    made = Call()
    made.hybridize(**how)
    made(*tensors)
    return made(*tensors) if not keep else made

def exported(f, tensors):
    names = [f"data{i}" for i in range(len(tensors))] if len(tensors) > 1 else ["data"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")
        hybridized(f, tensors, keep=True).export(path)
        parameters = path + "-0000.params"
        made = mx.gluon.SymbolBlock.imports(path + "-symbol.json", names,
                                            parameters if os.path.exists(parameters) else None)
    return made(*tensors)

def derived(how, f, tensors, number):
    """Two backward passes: the second writes over the first, or each adds a half."""
    moved = [t for t in tensors if np.dtype(t.dtype).kind == "f"]
    for t in moved:
        t.attach_grad("add" if how == "accumulated" else "write")
    for _ in range(2):
        with mx.autograd.record(train_mode=False):
            results = [r for r in leaves(f(*tensors)) if isinstance(r, mx.np.ndarray) and np.dtype(r.dtype).kind == "f"]
        share = 0.5 if how == "accumulated" else 1
        mx.autograd.backward(results, [mx.np.array(share * weight(number, r.shape, k), dtype=r.dtype)
                                       for k, r in enumerate(results)])
    return sum(float((t.grad.asnumpy() * along(number, t.shape, i)).sum()) for i, t in enumerate(moved))

def run(how, f, tensors, number=0):
    if how in ("reverse", "accumulated"):
        return derived(how, f, tensors, number)
    if how == "hybrid":
        return hybridized(f, tensors)
    if how == "saved":
        return exported(f, tensors)
    if how == "static":
        return hybridized(f, tensors, static_alloc=True, static_shape=True)
    if how == "numpy":
        packages["mx"] = types.SimpleNamespace(np=np)
        return f(*[t.asnumpy() for t in tensors])
    if how == "recorded":
        for t in tensors:
            t.attach_grad()
        with mx.autograd.record(train_mode=False):
            return f(*tensors)
    return f(*tensors)
