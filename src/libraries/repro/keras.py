import os
import sys

ARRAYS = "@arrays@" or "jax"
if library.backend.backend() != ARRAYS:  # which is chosen when Keras is imported
    os.environ["KERAS_BACKEND"] = ARRAYS
    os.execv(sys.executable, [sys.executable, *sys.argv])
keras, ops = library, library.ops
TAKEN, GIVEN, LEAVES = {}, {}, {}
if keras.backend.backend() in ("jax", "numpy"):
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")


def dtype(name):
    return name


def take(name, array, kind):
    TAKEN[name] = LEAVES[name] if name in LEAVES else ops.convert_to_tensor(array, dtype=kind)
    return TAKEN[name]


def give(name, value):
    GIVEN[name] = value


def step(name, x, gradient, *states, iterations, **options):
    """One step of an optimizer with one variable: what became of it, and of its states."""
    variable, optimizer = keras.Variable(x), getattr(keras.optimizers, name)(**options)
    optimizer.build([variable])
    optimizer.iterations.assign(iterations)
    slots = optimizer.variables[2:]
    for slot, state in zip(slots, states):
        slot.assign(state)
    optimizer.apply([gradient], [variable])
    return [variable.value, *(slot.value for slot in slots)]


def of_layer(kind, inputs, weights, initial_state=None, **config):
    """A layer with these weights, in its own order."""
    listed = isinstance(inputs, list)
    typed = weights[0] if weights else inputs[0] if listed else inputs
    made = kind(dtype=keras.backend.standardize_dtype(typed.dtype), **config)
    made.build([tuple(x.shape) for x in inputs] if listed else tuple(inputs.shape))
    given = {id(v): w for v, w in zip(made.weights, weights)}
    found, _ = made.stateless_call([given[id(v)] for v in made.trainable_variables],
                                   [given.get(id(v), v.value) for v in made.non_trainable_variables], inputs,
                                   **({"initial_state": initial_state} if initial_state else {}))
    return found


def op(name, *arguments, **by_name):
    """Calls a function of keras.ops or a layer, or takes a step of an optimizer."""
    if name.startswith("keras.optimizers."):
        return step(name[len("keras.optimizers."):], *arguments, **by_name)
    if name.startswith("keras.layers."):
        return of_layer(getattr(keras.layers, name[len("keras.layers."):]), *arguments, **by_name)
    return getattr(ops, name[len("keras.ops."):])(*arguments, **by_name)


@CALLS@


def program(inputs, constants):
    calls(inputs, constants)
    return dict(GIVEN)


def gradients(inputs, constants):
    if ARRAYS != "jax":
        sys.exit("this script takes gradients with JAX below Keras alone; 'assay replay' takes them with " + ARRAYS)
    program(inputs, constants)
    leaves, seeds = {name: TAKEN[name] for name in WANTED}, arrays("seeds.npz")

    def outputs_of(values):
        LEAVES.update(values)
        results = program(inputs, constants)
        return [results[name] for name in seeds]

    _, pull = jax.vjp(outputs_of, leaves)
    (found,) = pull([ops.convert_to_tensor(seed) for seed in seeds.values()])
    return found


def run(inputs):
    constants = arrays("constants.npz")
    found = gradients(inputs, constants) if WANTED else program(inputs, constants)
    return {name: ops.convert_to_numpy(value) for name, value in found.items()}
