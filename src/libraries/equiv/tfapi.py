os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
tf.config.optimizer.set_experimental_options({"min_graph_nodes": -1})  # small graphs are optimized, too

def dtype(kind):
    return tf.as_dtype(kind)

def tensor(kind, dims, values):
    return tf.constant(array(kind, dims, values))

def is_array(value):
    return tf.is_tensor(value) or isinstance(value, tf.IndexedSlices)

def op(name, form, tensors=()):
    return called(form, tensors, {"tf": tf})

def arrays(result):
    found = []
    for r in leaves(result):
        if isinstance(r, tf.sparse.SparseTensor):
            r = tf.sparse.to_dense(tf.sparse.reorder(r))
        found.append(np.asarray(tf.convert_to_tensor(r)))
    return [r.astype(np.float32) if r.dtype.name == "bfloat16" else r for r in found]

def derived(how, f, tensors, number):
    chosen = [i for i, t in enumerate(tensors) if t.dtype.is_floating]
    moved = [tensors[i] for i in chosen]
    directions = [tf.constant(along(number, t.shape, i), t.dtype) for i, t in enumerate(moved)]

    def total():
        results = [r for r in leaves(f(*tensors)) if is_array(r) and r.dtype.is_floating]
        return tf.add_n([tf.cast(tf.reduce_sum(r * tf.constant(weight(number, r.shape, k), r.dtype)), tf.float32)
                         for k, r in enumerate(results)])

    def gradient(times=1):
        with tf.GradientTape() as tape:
            tape.watch(moved)
            y = [total() for _ in range(times)]
        found = tape.gradient(y, moved, [tf.constant(1 / times)] * times)
        return [g if g is None else tf.convert_to_tensor(g) for g in found]

    def slope(gradients):
        return tf.add_n([tf.cast(tf.reduce_sum(g * d), tf.float32) for g, d in zip(gradients, directions)
                         if g is not None] or [tf.zeros([])])

    if "forward" in how:
        with tf.autodiff.ForwardAccumulator(moved, directions) as accumulator:
            found = [total()] if how == "forward" else gradient()
        return [accumulator.jvp(y, unconnected_gradients="zero") for y in found if y is not None]
    if how != "second":
        return slope(gradient(2 if how == "accumulated" else 1))
    with tf.GradientTape() as tape:
        tape.watch(moved)
        gradients = gradient()
        first = slope(gradients)
    found = tape.gradient(first, moved, unconnected_gradients="zero")
    return [h for h, g in zip(found, gradients) if g is not None]

def slopes(f, tensors, head_of):
    """The sum of the float results times their heads, and its gradients."""
    tensors = [tf.constant(t) for t in tensors]
    chosen = [i for i, t in enumerate(tensors) if t.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in chosen])
        results = [r for r in leaves(f(*tensors)) if is_array(r) and r.dtype.is_floating]
    heads = [head_of(tuple(r.shape)) for r in results]
    seeds = [tf.constant(h, r.dtype) for h, r in zip(heads, results)]
    gradients = tape.gradient(results, [tensors[i] for i in chosen], seeds)
    found = dict(zip(chosen, gradients))
    return (sum(float((tf.convert_to_tensor(r).numpy().astype("float64") * h).sum()) for r, h in zip(results, heads)),
            [tf.convert_to_tensor(found[i]).numpy() if i in found else None for i in range(len(tensors))])

def run(how, f, tensors, number=0):
    given = tensors
    tensors = [tf.constant(t) for t in tensors]
    if how in ("reverse", "forward", "accumulated", "second", "second_forward"):
        return derived(how, f, tensors, number)
    if how in ("graph", "xla"):
        return tf.function(f, autograph=False, jit_compile=how == "xla" or None)(*tensors)
    if how == "dynamic":
        of_any_size = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in tensors]
        return tf.function(f, autograph=False, input_signature=of_any_size)(*tensors)
    if how == "constant" and len(tensors) > 1:
        return tf.function(lambda first: f(first, *map(tf.constant, given[1:])), autograph=False)(tensors[0])
    if how in ("constant", "folded"):
        return tf.function(lambda: f(*map(tf.constant, given)), autograph=False)()
    if how == "saved":
        written = tf.Module()
        written.f = tf.function(f, autograph=False, input_signature=[tf.TensorSpec(t.shape, t.dtype) for t in tensors])
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(written, folder)
            return tf.saved_model.load(folder).f(*tensors)
    if how == "mapped":
        both = tf.vectorized_map(lambda items: f(*items), tuple(tf.stack([t, t]) for t in tensors))
        return [v[0] if is_array(v) and len(v.shape) else v for v in leaves(both)]
    return f(*tensors)
