import ctypes
import itertools

mx = library
mx.util.set_np_shape(True)
SYMBOLIC = "@mode@" == "symbolic" and not WANTED
TAKEN, GIVEN, NUMBERS = {}, {}, itertools.count()
STATES = {"sgd_mom_update": 1, "adam_update": 2}  # the last inputs, which the operation changes: results, too


def take(name, array, kind):
    value = mx.nd.array(array, dtype=kind)
    if name in WANTED:
        value.attach_grad()
    TAKEN[name or f"v{len(TAKEN)}"] = value
    return mx.sym.var(list(TAKEN)[-1]) if SYMBOLIC else value


def give(name, value):
    GIVEN[name] = value


def op(name, values, **parameters):
    """Calls MXNet's operation of that name; several results come as a list."""
    from mxnet._ctypes.ndarray import _imperative_invoke
    from mxnet._ctypes.symbol import _symbol_creator

    handle = ctypes.c_void_p()
    mx.base.check_call(mx.base._LIB.NNGetOpHandle(mx.base.c_str(name), ctypes.byref(handle)))
    keys, texts = list(parameters), list(parameters.values())
    if SYMBOLIC:
        return _symbol_creator(handle.value, values, {}, keys, texts, f"{name}_{next(NUMBERS)}", False)
    flags = [False] * (_imperative_invoke.__code__.co_argcount - 5)  # is_np_op, and output_is_list of newer versions
    states = [value.copy() for value in values[len(values) - STATES.get(name, 0):]]
    values = values[:len(values) - len(states)] + states
    made = _imperative_invoke(handle.value, values, keys, texts, None, *flags)
    return [made, *states] if states else made


@CALLS@


def run(inputs):
    if not WANTED:
        calls(inputs, arrays("constants.npz"))
        if not SYMBOLIC:
            return {name: value.asnumpy() for name, value in GIVEN.items()}
        graph = mx.sym.Group(list(GIVEN.values()))
        taken = {name: TAKEN[name] for name in graph.list_arguments()}
        states = {name: TAKEN[name] for name in graph.list_auxiliary_states()}
        results = graph.bind(mx.cpu(), taken, aux_states=states).forward()
        return {name: value.asnumpy() for name, value in zip(GIVEN, results)}
    seeds = arrays("seeds.npz")
    with mx.autograd.record(train_mode=True):
        calls(inputs, arrays("constants.npz"))
    mx.autograd.backward([GIVEN[name] for name in seeds], [mx.nd.array(a, dtype=a.dtype) for a in seeds.values()])
    return {name: TAKEN[name].grad.asnumpy() for name in WANTED}
