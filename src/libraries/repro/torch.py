torch = library
torch.set_num_threads(@threads@)
torch.backends.cudnn.allow_tf32 = False  # float32 is float32 on GPUs too
torch.set_grad_enabled(bool(WANTED))
DEVICE = "@device@" or "cpu"
DEFAULT = object()
TAKEN, GIVEN = {}, {}


def dtype(name):
    return getattr(torch, name)


def take(name, array, kind):
    value = array if torch.is_tensor(array) else torch.from_numpy(np.array(array)).to(DEVICE, dtype(kind))
    TAKEN[name] = value.requires_grad_() if name in WANTED else value
    return value


def give(name, value):
    GIVEN[name] = value


def op(name, *arguments):
    """Calls torch.ops.aten.NAME; several results, and those of a list, come as one list."""
    packet, _, overload = name.partition(".")
    function = getattr(getattr(torch.ops.aten, packet), overload or "default")
    places, by_name = [], {}
    for i, (parameter, value) in enumerate(zip(function._schema.arguments, arguments)):
        if parameter.kwarg_only or i > len(places):
            by_name[parameter.name] = value
        elif value is not DEFAULT:
            places.append(value)
    by_name = {key: value for key, value in by_name.items() if value is not DEFAULT}
    result = function(*places, **by_name)
    if torch.is_tensor(result):
        return result
    return [t for part in result for t in (part if isinstance(part, (list, tuple)) else [part])]


def to_numpy(value):
    value = value.detach().cpu()
    return (value.float() if value.dtype == torch.bfloat16 else value).numpy()


@CALLS@


def compiled(inputs):
    """TorchScript's answer, after the runs that it profiles."""
    names, values = list(inputs), [torch.from_numpy(np.array(array)).to(DEVICE) for array in inputs.values()]

    def program(*traced):
        calls(dict(zip(names, traced)), arrays("constants.npz"))
        return tuple(GIVEN[name] for name in OUTPUTS)

    traced = torch.jit.trace(program, tuple(values), check_trace=False)
    for _ in range(3):
        results = traced(*values)
    return dict(zip(OUTPUTS, results))


def run(inputs):
    if "@mode@" == "jit" and not WANTED:
        return {name: to_numpy(value) for name, value in compiled(inputs).items()}
    calls(inputs, arrays("constants.npz"))
    if not WANTED:
        return {name: to_numpy(value) for name, value in GIVEN.items()}
    seeds = arrays("seeds.npz")
    gradients = torch.autograd.grad([GIVEN[name] for name in seeds], [TAKEN[name] for name in WANTED],
                                    [torch.from_numpy(seeds[name]).to(GIVEN[name]) for name in seeds],
                                    allow_unused=True)
    return {name: to_numpy(torch.zeros_like(TAKEN[name]) if g is None else g) for name, g in zip(WANTED, gradients)}
