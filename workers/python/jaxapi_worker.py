"""JAX's documented functions as a backend of equiv: jax.numpy, jax.lax, jax.nn, jax.scipy and others, by name.

Options: mode=..., one of Backend.modes; threads=1, which the environment sees to; device=cpu|cuda, likewise.
Installed: site/ of the backend jax.
"""

import warnings

import forms
from worker_types import Unsupported


class Backend(forms.Backend):
    library = "jax"
    elements = "jax.numpy"  # has the functions of single elements
    # what functions say of tracing, which documentation tells of: a value must be known before the program is
    absent = (*forms.ABSENT, "Concret", "Tracer", "Traced", "NonHashable", "JitTracer", "Expected a static",
              "concrete value")

    def open(self, folder, options):
        warnings.filterwarnings("ignore")
        if options.get("device") == "cuda":
            forms.check_gpu()
        import jax
        import jax.image
        import jax.numpy
        import jax.scipy.cluster.vq
        import jax.scipy.integrate
        import jax.scipy.ndimage
        import jax.scipy.signal
        import jax.scipy.stats

        jax.config.update("jax_enable_x64", True)  # else float64 is float32
        if options.get("device") == "cuda":
            jax.config.update("jax_default_matmul_precision", "float32")  # a GPU would take fewer digits
            jax.devices()  # a copy of this process could not start the GPU
        self.jax, self.space = jax, {"jax": jax}
        self.reopen(options)
        return jax.__version__

    def names(self):
        jax = self.jax
        inner = {jax.numpy: ("", ".linalg", ".fft"), jax.lax: ("", ".linalg"), jax.nn: ("",), jax.image: ("",),
                 jax.ops: ("",), jax.scipy: (".special", ".linalg", ".signal", ".ndimage", ".fft", ".integrate",
                                             ".cluster.vq", ".stats", *(
                                                 f".stats.{name}" for name in sorted(vars(jax.scipy.stats))
                                                 if not name.startswith("_")
                                                 and type(getattr(jax.scipy.stats, name)) is type(jax)))}
        places = []
        for module, parts in inner.items():
            for part in parts:
                found = module
                for name in part.split(".")[1:]:
                    found = getattr(found, name)
                places.append((found, module.__name__ + part))
        return forms.public_of(places, forms.is_function)

    def tensor(self, array):
        return self.jax.numpy.asarray(array)

    def takes(self, form, arrays):
        shapes = self.jax.eval_shape(self.function(form), *map(self.tensor, arrays))  # nothing is compiled
        return bool(forms.leaves(shapes, lambda value: hasattr(value, "dtype")))

    def slopes(self, form, tensors):
        jax = self.jax
        chosen, call = floats(self, form, tensors)
        results, pull = jax.vjp(call, *[tensors[i] for i in chosen])
        found = dict(zip(chosen, pull([jax.numpy.asarray(forms.drawn(self.heads, r.shape).astype(r.dtype))
                                       for r in results])))
        return results, [found.get(i) for i in range(len(tensors))]

    def is_array(self, value):
        return isinstance(value, self.jax.Array)

    def array(self, value):
        import numpy
        made = numpy.asarray(value)
        if made.dtype.kind == "V" or made.dtype.name.startswith(("float8", "float4", "int4", "uint4", "int2", "uint2")):
            raise Unsupported(f"a result of {made.dtype}")
        return made.astype(numpy.float32) if made.dtype.name == "bfloat16" else made


# ---- modes: the same call in another way ---------------------------------------------------------------------------


def eager(b, form, tensors):
    with b.jax.disable_jit():  # else most functions are compiled one by one
        return b.function(form)(*tensors)


def jit(b, form, tensors):
    return b.kept(form.text, lambda: b.jax.jit(b.function(form)))(*tensors)  # a new function is compiled anew


def constant(b, form, tensors):
    """All tensors but the first are constants of the program."""
    f = b.function(form)
    return b.jax.jit(lambda first: f(first, *tensors[1:]))(tensors[0]) if len(tensors) > 1 else folded(b, form, tensors)


def folded(b, form, tensors):
    """All tensors are constants: the compiler computes the result."""
    f = b.function(form)
    return b.jax.jit(lambda: f(*tensors))()


def exported(b, form, tensors):
    """As jax.export writes the program, and reads it again."""
    key = form.text, tuple((str(t.dtype), t.shape) for t in tensors)

    def again():
        from jax import export
        return export.deserialize(export.export(b.jax.jit(b.function(form)))(*tensors).serialize())
    return b.kept(key, again).call(*tensors)


def vmap(b, form, tensors):
    """Of two that are the same the first."""
    if not tensors:
        raise Unsupported("no tensor")
    both = b.jax.vmap(b.function(form))(*[b.jax.numpy.stack([t, t]) for t in tensors])
    return [v[0] if b.is_array(v) and v.ndim else v for v in forms.leaves(both, b.is_array)]


def floats(b, form, tensors):
    """Which tensors are of floats; and the float results as a function of them."""
    chosen = [i for i, t in enumerate(tensors) if t.dtype.kind == "f"]
    f = b.function(form)
    if not chosen:
        raise Unsupported("no tensor of floats")

    def call(*moved):
        full = list(tensors)
        for i, t in zip(chosen, moved):
            full[i] = t
        results = [r for r in forms.leaves(f(*full), b.is_array) if b.is_array(r) and r.dtype.kind == "f"]
        if not results:
            raise Unsupported("no result of floats")
        return results
    return chosen, call


def weighed(b, form, tensors):
    """Σ head · result as a function of the tensors of floats; those, and directions to derive along."""
    chosen, call = floats(b, form, tensors)

    def total(*moved):
        return sum((r * b.head(r.shape, k).astype(r.dtype)).sum() for k, r in enumerate(call(*moved)))
    moved = [tensors[i] for i in chosen]
    return total, moved, [b.jax.numpy.asarray(b.along(t.shape, i).astype(t.dtype)) for i, t in enumerate(moved)]


def slope(gradients, along):
    """The derivative along the direction."""
    return sum((g * d).sum() for g, d in zip(gradients, along))


def reverse(b, form, tensors):
    total, moved, along = weighed(b, form, tensors)
    y, gradients = b.jax.value_and_grad(total, argnums=tuple(range(len(moved))))(*moved)
    forms.check_value(y)
    return slope(gradients, along)


def forward(b, form, tensors):
    total, moved, along = weighed(b, form, tensors)
    y, tangent = b.jax.jvp(total, tuple(moved), tuple(along))
    forms.check_value(y)
    return tangent


def accumulated(b, form, tensors):
    """The gradient of a sum of two halves: each use of an argument adds to what it has."""
    total, moved, along = weighed(b, form, tensors)
    y, gradients = b.jax.value_and_grad(lambda *at: total(*at) * 0.5 + total(*at) * 0.5,
                                        argnums=tuple(range(len(moved))))(*moved)
    forms.check_value(y)
    return slope(gradients, along)


def second(b, form, tensors):
    """The gradient of the derivative along the direction: reverse mode of reverse mode."""
    total, moved, along = weighed(b, form, tensors)
    every = tuple(range(len(moved)))
    forms.check_value(total(*moved))
    first, found = b.jax.value_and_grad(lambda *at: slope(b.jax.grad(total, argnums=every)(*at), along),
                                        argnums=every)(*moved)
    forms.check_value(first)
    return list(found)


def second_forward(b, form, tensors):
    """The derivative of the gradient along the direction: forward mode of reverse mode, which is the same."""
    total, moved, along = weighed(b, form, tensors)
    forms.check_value(total(*moved))
    gradients, tangents = b.jax.jvp(b.jax.grad(total, argnums=tuple(range(len(moved)))), tuple(moved), tuple(along))
    forms.check_value(slope(gradients, along))
    return list(tangents)


Backend.modes = {"eager": eager, "jit": jit, "constant": constant, "folded": folded, "vmap": vmap, "reverse": reverse,
                 "forward": forward, "accumulated": accumulated, "second": second, "second_forward": second_forward,
                 "exported": exported}
