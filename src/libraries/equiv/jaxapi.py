import warnings
warnings.filterwarnings("ignore")
import jax
import jax.scipy.cluster.vq
import jax.scipy.integrate
import jax.scipy.ndimage
import jax.scipy.signal
import jax.scipy.stats
jax.config.update("jax_enable_x64", True)

def dtype(kind):
    return jax.numpy.dtype(kind)

def tensor(kind, dims, values):
    return jax.numpy.asarray(array(kind, dims, values))

def is_array(value):
    return isinstance(value, jax.Array)

def op(name, form, tensors=()):
    return called(form, tensors, {"jax": jax})

def arrays(result):
    return [np.asarray(r).astype(np.float32) if str(getattr(r, "dtype", "")) == "bfloat16" else np.asarray(r)
            for r in leaves(result)]

def derived(how, f, tensors, number):
    chosen = [i for i, t in enumerate(tensors) if t.dtype.kind == "f"]

    def total(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        results = [r for r in leaves(f(*full)) if is_array(r) and r.dtype.kind == "f"]
        return sum((r * weight(number, r.shape, k).astype(r.dtype)).sum() for k, r in enumerate(results))

    def slope(*at):
        return sum((g * d).sum() for g, d in zip(jax.grad(total, argnums=every)(*at), directions))

    moved, every = tuple(tensors[i] for i in chosen), tuple(range(len(chosen)))
    directions = tuple(jax.numpy.asarray(along(number, t.shape, i).astype(t.dtype)) for i, t in enumerate(moved))
    if "forward" in how:
        return jax.jvp(total if how == "forward" else jax.grad(total, argnums=every), moved, directions)[1]
    if how == "second":
        return jax.grad(slope, argnums=every)(*moved)
    if how == "reverse":
        return slope(*moved)
    gradients = jax.grad(lambda *at: total(*at) * 0.5 + total(*at) * 0.5, argnums=every)(*moved)
    return sum((g * d).sum() for g, d in zip(gradients, directions))

def slopes(f, tensors, head_of):
    """The sum of the float results times their heads, and its gradients."""
    tensors = [jax.numpy.asarray(t) for t in tensors]
    chosen = [i for i, t in enumerate(tensors) if t.dtype.kind == "f"]

    def floats(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        return [r for r in leaves(f(*full)) if is_array(r) and r.dtype.kind == "f"]

    results, pull = jax.vjp(floats, *[tensors[i] for i in chosen])
    heads = [head_of(r.shape) for r in results]
    found = dict(zip(chosen, pull([jax.numpy.asarray(h.astype(r.dtype)) for h, r in zip(heads, results)])))
    return (sum(float((np.asarray(r, "float64") * h).sum()) for r, h in zip(results, heads)),
            [np.asarray(found[i]) if i in found else None for i in range(len(tensors))])

def run(how, f, tensors, number=0):
    tensors = [jax.numpy.asarray(t) for t in tensors]
    if how in ("reverse", "forward", "accumulated", "second", "second_forward"):
        return derived(how, f, tensors, number)
    if how == "cuda":  # which would take fewer digits
        jax.config.update("jax_default_matmul_precision", "float32")
    if how in ("jit", "cuda"):
        return jax.jit(f)(*tensors)
    if how == "constant" and len(tensors) > 1:
        return jax.jit(lambda first: f(first, *tensors[1:]))(tensors[0])
    if how in ("constant", "folded"):
        return jax.jit(lambda: f(*tensors))()
    if how == "exported":
        from jax import export
        return export.deserialize(export.export(jax.jit(f))(*tensors).serialize()).call(*tensors)
    if how == "vmap":
        both = jax.vmap(f)(*[jax.numpy.stack([t, t]) for t in tensors])
        return [v[0] if is_array(v) and v.ndim else v for v in leaves(both)]
    with jax.disable_jit():
        return f(*tensors)
