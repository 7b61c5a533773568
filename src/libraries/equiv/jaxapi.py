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

def derived(how, f, tensors):
    chosen = [i for i, t in enumerate(tensors) if t.dtype.kind == "f"]

    def total(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        results = [r for r in leaves(f(*full)) if is_array(r) and r.dtype.kind == "f"]
        return sum((r * along(r.shape, 3 * k + 1).astype(r.dtype)).sum() for k, r in enumerate(results))

    moved = tuple(tensors[i] for i in chosen)
    directions = tuple(jax.numpy.asarray(along(t.shape, i).astype(t.dtype)) for i, t in enumerate(moved))
    if how == "forward":
        return jax.jvp(total, moved, directions)[1]
    return sum((g * d).sum() for g, d in zip(jax.grad(total, argnums=tuple(range(len(moved))))(*moved), directions))

def run(how, f, tensors):
    tensors = [jax.numpy.asarray(t) for t in tensors]
    if how in ("reverse", "forward"):
        return derived(how, f, tensors)
    if how == "jit":
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
