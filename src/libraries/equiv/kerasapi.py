import warnings
warnings.filterwarnings("ignore")
os.environ.setdefault("KERAS_BACKEND", "numpy")
import keras
made_of = {}
# as ONNX numbers them
TYPES = ["float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64",
         "uint32", "uint64", "complex64", "complex128", "bfloat16"]

def dtype(kind):
    return kind

def tensor(kind, dims, values):
    return keras.ops.convert_to_tensor(array(kind, dims, values))

def is_array(value):
    return isinstance(value, (np.ndarray, np.generic, keras.KerasTensor)) or keras.ops.is_tensor(value)

def set_weights(layer, start=0):
    """The same numbers with every array library; small ones in a network."""
    deep = isinstance(layer, keras.Model)
    for i, v in enumerate(layer.weights):
        if "float" in str(v.dtype):
            numbers = np.random.default_rng(20 + start + i).uniform(-1, 1, tuple(v.shape))
            if deep and numbers.ndim > 1:
                numbers *= (3 * v.shape[-1] / max(1, numbers.size)) ** 0.5
            v.assign(abs(numbers) + 0.25 if "variance" in v.path or deep and "gamma" in v.path else numbers)

def made(form, tensors, start=0):
    """The layer of a form, with its numbers; a layer has weights once it was called."""
    keras.utils.set_random_seed(20)
    m = eval(form.split(" | ")[1])
    if isinstance(m, keras.Layer):
        call(form, tensors, m)
        set_weights(m, start)
    return m

def call(form, tensors, m=None):
    names = [v.partition(":")[0] for v in form.split(" | ")[0].split()]
    return eval(form.split(" | ")[-1], {"keras": keras, "m": m, **dict(zip(names, tensors))})

def op(name, form, tensors=()):
    made_of["form"] = form
    if form.count(" | ") == 1:
        return call(form, tensors)
    if "m" not in made_of:
        made_of["m"] = made(form, tensors)
    return call(form, tensors, made_of["m"])

def arrays(result):
    found = [np.asarray(keras.ops.convert_to_numpy(r)) for r in leaves(result)]
    return [r.astype(np.float32) if r.dtype.name == "bfloat16" else r for r in found]

def inputs(tensors, batch=True):
    return [keras.KerasTensor(tuple(t.shape) if batch else (None, *t.shape[1:]),
                              dtype=keras.backend.standardize_dtype(t.dtype)) for t in tensors]

def model(tensors, layer, batch=True):
    if isinstance(layer, keras.Model):
        return layer
    given = [keras.Input(batch_shape=k.shape, dtype=k.dtype) for k in inputs(tensors, batch)]
    return keras.Model(given if len(given) > 1 else given[0], call(made_of["form"], given, layer))

def described(value):
    kind = keras.backend.standardize_dtype(value.dtype)
    return np.array([*value.shape, TYPES.index(kind) + 1], np.int64)

def through_file(how, tensors):
    """Written, and read again."""
    form, m = made_of["form"], made_of["m"]
    whole = model(tensors, m)
    with tempfile.TemporaryDirectory() as folder:
        if how == "weights":
            other = model(tensors, made(form, tensors, 100))
            whole.save_weights(os.path.join(folder, "m.weights.h5"))
            other.load_weights(os.path.join(folder, "m.weights.h5"))
            return other
        if how == "exported":
            whole.export(folder, verbose=False)
            return keras.layers.TFSMLayer(folder, call_endpoint="serve")
        path = os.path.join(folder, "m.h5" if how == "saved_h5" else "m.keras")
        whole.save(path)
        return keras.saving.load_model(path, compile=False)

EXPORTS = {"to_litert": ".tflite", "to_onnx": ".onnx", "to_openvino": ".xml"}

def through_export(how, tensors, given):
    """Written for another program, and run by that."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m" + EXPORTS[how])
        made = model(tensors, made_of["m"])
        made(given)  # PyTorch's arrays: a model that was never called is not exported
        made.export(path, format=how.removeprefix("to_"), verbose=False)
        if how == "to_litert":
            import tensorflow as tf
            runner = tf.lite.Interpreter(model_path=path, num_threads=1)
            place = runner.get_input_details()[0]["index"]
            runner.resize_tensor_input(place, given.shape)
            runner.allocate_tensors()
            runner.set_tensor(place, given)
            runner.invoke()
            return [runner.get_tensor(o["index"]) for o in runner.get_output_details()]
        if how == "to_openvino":
            import openvino
            compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
            return list(compiled([given]).values())
        try:
            import onnxruntime
            runner = onnxruntime.InferenceSession(path)
            name = runner.get_inputs()[0].name
        except ModuleNotFoundError:
            import onnx.reference
            runner = onnx.reference.ReferenceEvaluator(path)
            name = runner.input_names[0]
        return runner.run(None, {name: given})

def step(do, m, given, wanted):
    m.reset_metrics()
    return do(given, wanted)

def trained(how, given, tensors):
    """A step of training, perhaps a file, the loss, and another step."""
    m = model(tensors, made_of["m"])
    m.compile(optimizer="adam", loss="mean_squared_error", metrics=["mean_absolute_error"], run_eagerly=True)
    given = given if len(given) > 1 else given[0]
    wanted = pattern(m(tensors if len(tensors) > 1 else tensors[0]).shape, 1).astype(np.float32)
    results = [step(m.train_on_batch, m, given, wanted)]
    if how != "trained":
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.h5" if how == "resumed_h5" else "m.keras")
            m.save(path)
            m = keras.saving.load_model(path)
    results += [step(m.test_on_batch, m, given, wanted), step(m.train_on_batch, m, given, wanted)]
    for v in [*m.weights, *m.optimizer.variables]:
        numbers = keras.ops.convert_to_numpy(v).astype(np.float64)
        results.append([float((numbers * pattern(numbers.shape, k)).sum()) / max(1, numbers.size) ** 0.5
                        for k in (0, 3)])
    return [np.array(r, np.float32) for r in results]

def run(how, f, tensors):
    given = tensors
    tensors = [keras.ops.convert_to_tensor(t) for t in tensors]
    if how == "jit":
        import jax
        f(*tensors)  # makes what is made once
        return jax.jit(f)(*tensors)
    if how in ("function", "xla"):
        import tensorflow as tf
        f(*tensors)
        return tf.function(f, autograph=False, jit_compile=how == "xla" or None)(*tensors)
    if how in ("", "numpy", "jax", "torch", "tensorflow", "openvino"):
        return f(*tensors)
    plain = f(*tensors)
    if how == "found":
        return [described(r) for r in leaves(plain)]
    if how in ("functional", "declared"):
        symbolic = inputs(tensors)
        results = f(*symbolic)
        return [described(r) for r in leaves(results)] if how == "declared" else \
            keras.Function(symbolic, results)(tensors)
    if how == "predict":
        items = given if len(given) > 1 else given[0]
        return model(tensors, made_of["m"], False).predict(items, batch_size=1, verbose=0)
    if how in EXPORTS:
        return through_export(how, tensors, given[0])
    if how.startswith(("trained", "resumed")):
        return trained(how, given, tensors)
    if how == "config":
        layer = keras.layers.deserialize(keras.layers.serialize(made_of["m"]))
        again = model(tensors, layer)
        layer.set_weights(made_of["m"].get_weights())
    else:
        again = model(tensors, made_of["m"]) if how == "whole" else through_file(how, tensors)
    return again(tensors if len(tensors) > 1 else tensors[0])
