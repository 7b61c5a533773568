"""Modes of kerasapi_worker.py that make a model of a layer or take a whole network: files, configurations, batches,
training that is broken off and goes on."""

import os
import tempfile

import forms
from worker_types import Unsupported

STEPS = 1  # of training, before a file is written and after it


def inputs(b, tensors, batch=True):
    """Symbolic tensors; without `batch` the size of the first axis is open."""
    return [b.keras.KerasTensor(tuple(t.shape) if batch else (None, *t.shape[1:]),
                                dtype=b.keras.backend.standardize_dtype(t.dtype)) for t in tensors]


def model(b, form, tensors, layer=None, batch=True):
    """A model of one layer; a network is one itself."""
    if form.made is None:
        raise Unsupported("a function has nothing to save")
    layer = layer or b.built(form, tensors)
    if not isinstance(layer, b.keras.Layer):
        raise Unsupported("no layer")
    if isinstance(layer, b.keras.Model):
        return layer, layer
    given = [b.keras.Input(batch_shape=k.shape, dtype=k.dtype) for k in inputs(b, tensors, batch)]
    return b.keras.Model(given if len(given) > 1 else given[0], form.function(layer)(*given)), layer


def key_of(form, tensors):
    return form.text, tuple((str(t.dtype), tuple(t.shape)) for t in tensors)


def kept_model(make):
    """A mode that runs the model which `make` gives; it is kept for the next numbers, since a network takes long."""
    def run(b, form, tensors):
        return run_model(b.kept(key_of(form, tensors), lambda: make(b, form, tensors)), tensors)
    return run


def run_model(made, tensors):
    return made(list(tensors) if len(tensors) > 1 else tensors[0])


def whole(b, form, tensors):
    """As it is, called with the whole batch."""
    return model(b, form, tensors)[0]


def through_file(b, made, suffix, **how):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m" + suffix)
        made.save(path)
        return b.keras.saving.load_model(path, **how)


def saved(suffix):
    """Through a file of the whole model."""
    return lambda b, form, tensors: through_file(b, model(b, form, tensors)[0], suffix, compile=False)


def weights(b, form, tensors):
    """Through a file of weights, into a layer that had others."""
    made, _ = model(b, form, tensors)
    other, _ = model(b, form, tensors, b.built(form, tensors, 100))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.weights.h5")
        made.save_weights(path)
        other.load_weights(path)
    return other


def config(b, form, tensors):
    """A layer that its configuration makes again, with the same weights."""
    _, layer = model(b, form, tensors)
    again, other = model(b, form, tensors, b.keras.layers.deserialize(b.keras.layers.serialize(layer)))
    other.set_weights(layer.get_weights())
    return again


def exported(b, form, tensors):
    """Through a SavedModel for inference."""
    made, _ = model(b, form, tensors)
    if len(tensors) > 1:
        raise Unsupported("a SavedModel is read again as a layer of one tensor")
    with tempfile.TemporaryDirectory() as folder:
        made.export(folder, verbose=False)
        return b.keras.layers.TFSMLayer(folder, call_endpoint="serve")


def through_export(kind, suffix, read):
    """Through a file that another program runs; read(b, path) gives a function of one array of numpy's."""
    def make(b, form, tensors):
        if len(tensors) != 1:
            raise Unsupported("an export is called with one tensor")
        made, _ = model(b, form, tensors)
        run_model(made, tensors)  # PyTorch's arrays: a model that was never called is not exported
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m" + suffix)
            made.export(path, format=kind, verbose=False)
            run = read(b, path)
        return lambda tensor: run(b.keras.ops.convert_to_numpy(tensor))
    return kept_model(make)


def read_litert(b, path):
    """LiteRT's interpreter, as TensorFlow has it."""
    import tensorflow
    with open(path, "rb") as f:
        interpreter = tensorflow.lite.Interpreter(model_content=f.read(), num_threads=1)
    given, found = interpreter.get_input_details()[0], interpreter.get_output_details()

    def run(array):
        interpreter.resize_tensor_input(given["index"], array.shape)  # the file leaves the batch's size open
        interpreter.allocate_tensors()
        interpreter.set_tensor(given["index"], array)
        interpreter.invoke()
        return [interpreter.get_tensor(output["index"]) for output in found]
    return run


def read_onnx(b, path):
    """ONNX Runtime where this Python has it, or else the reference of ONNX's own package."""
    try:
        import onnxruntime
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
    except ModuleNotFoundError:
        import onnx.reference
        session = onnx.reference.ReferenceEvaluator(path)
        name = session.input_names[0]
    return lambda array: session.run(None, {name: array})


def read_openvino(b, path):
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    return lambda array: list(compiled([array]).values())


def predict(b, form, tensors):
    """By predict(), one item after the other."""
    if not tensors or any(not len(t.shape) or t.shape[0] != tensors[0].shape[0] for t in tensors):
        raise Unsupported("no batch")
    made = b.kept(key_of(form, tensors), lambda: model(b, form, tensors, batch=False)[0])
    arrays = [b.keras.ops.convert_to_numpy(t) for t in tensors]
    return made.predict(arrays if len(arrays) > 1 else arrays[0], batch_size=1, verbose=0)


def digest(array):
    """A few numbers of a weight that change when it does: a network has millions."""
    return [float((array * forms.direction(array.shape, k)).sum()) / max(1, array.size) ** 0.5 for k in (0, 3)]


def draws(layer):
    """Whether it draws random numbers, whose state only some formats hold."""
    return any(getattr(part, "seed_generator", None) is not None for part in layer._flatten_layers())


def measured(step, made, given, wanted):
    """Loss and metrics of one step alone: they are means over steps, which no file holds."""
    made.reset_metrics()
    return step(given, wanted)


def training(suffix=None):
    """Some steps, perhaps a file of the compiled model, some more: losses, metrics, and digests of all weights."""
    def run(b, form, tensors):
        import numpy
        made, layer = model(b, form, tensors)
        if not made.trainable_weights or len(made.outputs) != 1 or draws(layer):
            raise Unsupported("nothing to train, several results, or random numbers")
        made.compile(optimizer="adam", loss="mean_squared_error", metrics=["mean_absolute_error"], run_eagerly=True)
        arrays = [b.keras.ops.convert_to_numpy(t) for t in tensors]
        given = arrays if len(arrays) > 1 else arrays[0]
        wanted = forms.direction(tuple(run_model(made, tensors).shape), 1).astype(numpy.float32)
        results = [measured(made.train_on_batch, made, given, wanted) for _ in range(STEPS)]
        if suffix:
            made = through_file(b, made, suffix)
        results.append(measured(made.test_on_batch, made, given, wanted))
        results += [measured(made.train_on_batch, made, given, wanted) for _ in range(STEPS)]
        state = [*made.weights, *made.optimizer.variables]
        results += [digest(b.keras.ops.convert_to_numpy(v).astype(numpy.float64)) for v in state]
        return [numpy.array(r, numpy.float32) for r in results]
    return run


MODES = {"whole": kept_model(whole), "saved": kept_model(saved(".keras")), "saved_h5": kept_model(saved(".h5")),
         "weights": kept_model(weights), "config": kept_model(config), "exported": kept_model(exported),
         "litert": through_export("litert", ".tflite", read_litert),
         "onnx": through_export("onnx", ".onnx", read_onnx),
         "openvino": through_export("openvino", ".xml", read_openvino),
         "predict": predict, "trained": training(), "resumed": training(".keras"), "resumed_h5": training(".h5")}
