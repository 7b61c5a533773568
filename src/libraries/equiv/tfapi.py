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

def derived(how, f, tensors):
    chosen = [i for i, t in enumerate(tensors) if t.dtype.is_floating]
    moved = [tensors[i] for i in chosen]
    directions = [tf.constant(along(t.shape, i), t.dtype) for i, t in enumerate(moved)]

    def total():
        results = [r for r in leaves(f(*tensors)) if is_array(r) and r.dtype.is_floating]
        return tf.add_n([tf.cast(tf.reduce_sum(r * tf.constant(along(r.shape, 3 * k + 1), r.dtype)), tf.float32)
                         for k, r in enumerate(results)])

    if how == "forward":
        with tf.autodiff.ForwardAccumulator(moved, directions) as accumulator:
            y = total()
        return accumulator.jvp(y, unconnected_gradients="zero")
    with tf.GradientTape() as tape:
        tape.watch(moved)
        y = total()
    return tf.add_n([tf.cast(tf.reduce_sum(tf.convert_to_tensor(g) * d), tf.float32)
                     for g, d in zip(tape.gradient(y, moved, unconnected_gradients="zero"), directions)])

def run(how, f, tensors):
    given = tensors
    tensors = [tf.constant(t) for t in tensors]
    if how in ("reverse", "forward"):
        return derived(how, f, tensors)
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
