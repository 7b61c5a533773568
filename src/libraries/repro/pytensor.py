import pytensor.tensor as pt
import pytensor.tensor.special
from pytensor.compile.mode import Mode, get_mode

library.config.floatX = "float32"
library.config.warn_float64 = "ignore"
if "@mode@" != "c":
    library.config.cxx = ""  # no compiler builds helpers
library.config.linker = {"c": "c|py", "numba": "numba"}.get("@mode@", "py")
TAKEN, GIVEN = {}, {}


def mode():
    if "@mode@" == "numba":
        return get_mode("NUMBA")
    rewrite = "@rewrite@" or "fast_compile"
    return Mode(linker="@mode@" or "py", optimizer=None if rewrite == "none" else rewrite)


def dtype(name):
    return name


def take(name, array, kind):
    """Inputs are variables already; initializers become shared ones."""
    if name is None:
        return pt.constant(array.astype(kind))
    if isinstance(array, np.ndarray):
        array = library.shared(array.astype(kind), name=name, shape=array.shape)
    TAKEN[name] = array
    return array


def give(name, value):
    GIVEN[name] = value


def plain(value):
    return tuple(plain(v) for v in value) if isinstance(value, list) else value


def op(name, *arguments, **by_name):
    """Calls a function of PyTensor; getitem is x[index]."""
    arguments = [plain(a) for a in arguments]
    if name == "getitem":
        return arguments[0][arguments[1]]
    if name == "pytensor.tensor.set_subtensor":
        x, index, y = arguments
        return pt.set_subtensor(x[index], y)
    function = library
    for part in name.split(".")[1:]:
        function = getattr(function, part)
    return function(*arguments, **{key: plain(value) for key, value in by_name.items()})


@CALLS@


def variables(found):
    # as a name PyTensor refuses a word for a type, such as c32
    return {name: pt.tensor(name=f"input {name}", dtype=v.dtype.name, shape=v.shape) for name, v in found.items()}


def gradients(heads):
    cost = sum(pt.sum(GIVEN[name] * head, dtype=head.dtype) for name, head in heads.items())
    leaves = [TAKEN[name] for name in WANTED]
    found = library.grad(cost, leaves, disconnected_inputs="ignore")
    return [g.astype(leaf.dtype) for g, leaf in zip(found, leaves)]


def run(inputs):
    seeds = arrays("seeds.npz") if WANTED else {}
    given, heads = variables(inputs), variables(seeds)
    calls(given, arrays("constants.npz"))
    results = gradients(heads) if WANTED else [pt.as_tensor_variable(GIVEN[name]) for name in OUTPUTS]
    function = library.function([*given.values(), *heads.values()], results, mode=mode(), on_unused_input="ignore")
    return dict(zip(WANTED or OUTPUTS, function(*inputs.values(), *seeds.values())))
