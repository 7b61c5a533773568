#!/usr/bin/env python3
"""Every Keras layer that becomes ONNX (workers/python/keras_to_*.py): keras_layers.py ASSAY DEPS [DRAWS [CLASS…]]

Each class is built in Keras with configurations drawn at random, saved as .keras, converted, and run by the exact
reference; the result must be what Keras itself gives, up to rounding (keras_support.py).
"""

import os
import random
import subprocess
import sys
import tempfile

from keras_support import ASSAY, close, keras, keras_to_math, keras_to_onnx, np

L = keras.layers
ACTIVATIONS = sorted(keras_to_math.FUNCTIONS)


# ---- configurations --------------------------------------------------------------------------------------------------


class Draw:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def of(self, *choices):
        return self.rng.choice(choices)

    def size(self, low=4, high=9):
        return self.rng.randint(low, high)

    def activation(self):
        return self.of(*(a for a in ACTIVATIONS if a != "glu"))

    def image(self, n, channels=None):
        sizes = [self.size(5, 8) for _ in range(n)]
        return (*sizes, channels or self.size(2, 4))


def conv(name, n):
    def make(d):
        strides = d.of(1, 1, 2, 3)
        options = {"padding": d.of("valid", "same"), "strides": strides, "use_bias": d.of(True, False),
                   "dilation_rate": d.of(1, 2) if strides == 1 else 1, "activation": d.activation()}
        if name.startswith("Depthwise"):
            return getattr(L, name)(d.of(1, 2, 3), depth_multiplier=d.of(1, 2), **options), [d.image(n)]
        if name.startswith("Conv") and not name.endswith("Transpose") and d.of(True, False):
            return getattr(L, name)(4, d.of(1, 2, 3), groups=2, **options), [d.image(n, 4)]
        if name == "Conv1D" and d.of(True, False):
            options["padding"] = "causal"
        return getattr(L, name)(d.size(2, 4), d.of(1, 2, 3), **options), [d.image(n)]
    return make


def pool(name, n):
    def make(d):
        return getattr(L, name)(d.of(2, 3), strides=d.of(None, 1, 2), padding=d.of("valid", "same")), [d.image(n)]
    return make


def simple(name, input_rank, **choices):
    """A class whose arguments are drawn one by one; input_rank is that of its input without the batch."""
    def make(d):
        shape = d.image(input_rank - 1) if input_rank > 1 else (d.size(),)
        return getattr(L, name)(**{k: d.of(*v) for k, v in choices.items()}), [shape]
    return make


def merge(name, count=None):
    def make(d):
        shape = d.image(d.of(0, 1, 2))
        return getattr(L, name)(), [shape] * (count or d.of(2, 3))
    return make


def recurrent(name, d, **more):
    options = {"return_sequences": d.of(True, False), "go_backwards": d.of(True, False),
               "use_bias": d.of(True, False), "activation": d.of("tanh", "relu", "softsign", "linear"), **more}
    if name != "SimpleRNN":
        options["recurrent_activation"] = d.of("sigmoid", "hard_sigmoid")
    if name == "GRU":
        options["reset_after"] = d.of(True, False)
    return getattr(L, name)(d.size(2, 4), **options)


def axes_drawn(name, **more):
    def make(d):
        return getattr(L, name)(axis=d.of(-1, 1, [1, 2], [2, 3]), **more), [d.image(2)]
    return make


def normalization(d):
    layer = L.Normalization(axis=d.of(-1, 1), invert=d.of(True, False))
    shape = d.image(1)
    layer.adapt(np.random.default_rng(d.size()).normal(2, 3, (20, *shape)).astype(np.float32))
    return layer, [shape]


def group_normalization(d):
    first = d.of(True, False)
    shape = (6, 4, 5) if first else (4, 5, 6)
    return L.GroupNormalization(groups=d.of(2, 3, -1), axis=1 if first else -1, scale=d.of(True, False),
                                center=d.of(True, False)), [shape]


def dot(d):
    left, right, axes = d.of(((5, 3), (5, 4), 1), ((5,), (5,), 1), ((3, 5), (4, 5), 2), ((5,), (5, 4), 1),
                             ((3, 5), (5, 4), (2, 1)))
    return L.Dot(axes=axes, normalize=d.of(True, False)), [left, right]


def bidirectional(d):
    inner = recurrent(d.of("GRU", "LSTM", "SimpleRNN"), d, go_backwards=False)
    return L.Bidirectional(inner, merge_mode=d.of("concat", "sum", "mul", "ave")), [(5, 3)]


def wrapped(d):
    inner = d.of(L.Dense(3, activation="relu"), L.Conv1D(2, 2), keras.Sequential([L.Dense(2), L.Flatten()]))
    return L.TimeDistributed(inner), [(4, 5, 3)]


def resizing(d):
    return L.Resizing(d.size(), d.size(), interpolation=d.of("nearest", "bilinear")), [d.image(2)]


CASES = {
    "Activation": lambda d: (L.Activation(d.activation()), [(4, 6)]),
    "ReLU": simple("ReLU", 2, max_value=(None, 0.7), negative_slope=(0.0, 0.2), threshold=(0.0, 0.3)),
    "LeakyReLU": simple("LeakyReLU", 2, negative_slope=(0.1, 0.4)), "ELU": simple("ELU", 2, alpha=(0.5, 1.0)),
    "PReLU": lambda d: (L.PReLU(shared_axes=d.of(None, [1], [1, 2])), [d.image(2)]),
    "Softmax": simple("Softmax", 3, axis=(-1, 1, (1, 2))), "Identity": simple("Identity", 2),
    "Dense": lambda d: (L.Dense(d.size(), activation=d.activation(), use_bias=d.of(True, False)),
                        [d.image(d.of(0, 1))]),
    "EinsumDense": lambda d: (L.EinsumDense("abc,cd->abd", (None, 5), bias_axes=d.of(None, "d")), [(4, 3)]),
    "Embedding": lambda d: (L.Embedding(9, d.size()), [(d.size(),)]), "Add": merge("Add"),
    "Multiply": merge("Multiply"), "Maximum": merge("Maximum"), "Minimum": merge("Minimum"),
    "Average": merge("Average"), "Subtract": merge("Subtract", 2), "Concatenate": merge("Concatenate"), "Dot": dot,
    "Rescaling": simple("Rescaling", 2, scale=(2.0, 1 / 255), offset=(0.0, -1.0)), "Normalization": normalization,
    "Flatten": simple("Flatten", 3, data_format=("channels_last", "channels_first")),
    "Reshape": lambda d: (L.Reshape(d.of((2, 12), (-1, 3), (24,), (4, -1, 2))), [(4, 6)]),
    "Permute": lambda d: (L.Permute(d.of((2, 1, 3), (3, 1, 2), (1, 3, 2))), [d.image(2)]),
    "RepeatVector": simple("RepeatVector", 1, n=(1, 4)), "Resizing": resizing,
    "ZeroPadding1D": simple("ZeroPadding1D", 2, padding=(1, (0, 2))),
    "ZeroPadding2D": simple("ZeroPadding2D", 3, padding=(2, (1, 2), ((1, 0), (2, 3)))),
    "ZeroPadding3D": simple("ZeroPadding3D", 4, padding=(1, (1, 2, 3), ((1, 0), (2, 3), (0, 0)))),
    "Cropping1D": simple("Cropping1D", 2, cropping=(1, (0, 2))),
    "Cropping2D": simple("Cropping2D", 3, cropping=(1, (1, 2), ((1, 0), (2, 1)))),
    "Cropping3D": simple("Cropping3D", 4, cropping=(1, (1, 2, 1), ((1, 0), (2, 1), (0, 0)))),
    "UpSampling1D": simple("UpSampling1D", 2, size=(2, 3)),
    "UpSampling2D": simple("UpSampling2D", 3, size=(2, (2, 3)), interpolation=("nearest", "bilinear", "bicubic")),
    "UpSampling3D": simple("UpSampling3D", 4, size=(2, (2, 3, 1))),
    "BatchNormalization": simple("BatchNormalization", 3, axis=(-1, 1), scale=(True, False), center=(True, False)),
    "LayerNormalization": axes_drawn("LayerNormalization"), "UnitNormalization": axes_drawn("UnitNormalization"),
    "RMSNormalization": simple("RMSNormalization", 3, axis=(-1, 3)), "GroupNormalization": group_normalization,
    "Bidirectional": bidirectional, "TimeDistributed": wrapped,
    "Attention": lambda d: (L.Attention(use_scale=d.of(True, False)), [(4, 5), (6, 5), (6, 5)][:d.of(2, 3)]),
    "AdditiveAttention": lambda d: (L.AdditiveAttention(use_scale=d.of(True, False)), [(4, 5), (6, 5)]),
    "MultiHeadAttention": lambda d: (L.MultiHeadAttention(2, d.of(3, 4), value_dim=d.of(None, 5),
                                                          use_bias=d.of(True, False)), [(4, 6), (5, 6)]),
    **{name: (lambda d, name=name: (recurrent(name, d), [(5, 3)])) for name in ("SimpleRNN", "GRU", "LSTM")},
}
for rank in (1, 2, 3):
    for kind in ("Conv{}D", "Conv{}DTranspose", "DepthwiseConv{}D", "SeparableConv{}D"):
        if hasattr(L, kind.format(rank)):
            CASES[kind.format(rank)] = conv(kind.format(rank), rank)
    for kind in ("Max", "Average"):
        CASES[f"{kind}Pooling{rank}D"] = pool(f"{kind}Pooling{rank}D", rank)
        CASES[f"Global{kind}Pooling{rank}D"] = simple(f"Global{kind}Pooling{rank}D", rank + 1, keepdims=(True, False))
        CASES[f"Adaptive{kind}Pooling{rank}D"] = (lambda d, kind=kind, rank=rank: (
            getattr(L, f"Adaptive{kind}Pooling{rank}D")(d.of(2, 3)), [(6,) * rank + (3,)]))
for kind in keras_to_math.TRAINING_ONLY:
    if hasattr(L, kind) and not kind.startswith("Random") and kind != "ActivityRegularization":
        CASES[kind] = simple(kind, 4 if kind.endswith("3D") else 3 if kind.endswith("2D") else 2,
                             **{"stddev": (0.5,)} if kind == "GaussianNoise" else {"rate": (0.5,)})
CASES["ActivityRegularization"] = simple("ActivityRegularization", 2, l2=(0.1,))
for kind in ("RandomFlip", "RandomRotation", "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness"):
    arguments = {"RandomFlip": {}, "RandomTranslation": {"height_factor": (0.1,), "width_factor": (0.1,)},
                 "RandomZoom": {"height_factor": (0.1,)}}.get(kind, {"factor": (0.1,)})
    CASES[kind] = simple(kind, 3, **arguments)
# Layers of keras.applications alone; bench/keras_applications has them in whole networks.
WITHOUT_CASES = {"LayerScale", "StochasticDepth"}


# ---- the comparison --------------------------------------------------------------------------------------------------


def build(make, seed):
    """A model of one layer, weights that are not those it is born with, and inputs."""
    keras.utils.set_random_seed(seed)
    layer, shapes = make(Draw(seed))
    whole = isinstance(layer, L.Embedding)
    inputs = [keras.Input(shape, dtype="int32" if whole else "float32", name=f"x{i}") for i, shape in enumerate(shapes)]
    given = inputs if isinstance(layer, L.MultiHeadAttention) else [inputs if len(inputs) > 1 else inputs[0]]
    model = keras.Model(inputs, layer(*given))
    rng = np.random.default_rng(seed)
    for weight in model.weights:
        if weight.dtype == "float32" and "normalization/" not in f"{weight.path}/".replace("batch_", "").lower():
            low = 0.5 if "variance" in weight.path else -1
            weight.assign(rng.uniform(low, 1, weight.shape).astype(np.float32))
    make_up = (lambda s: rng.integers(0, 9, s).astype(np.int32)) if whole else \
        (lambda s: rng.normal(0, 1, s).astype(np.float32))
    return model, [make_up((2, *shape)) for shape in shapes]


def run_reference(folder, data, arrays):
    path, given, out = (os.path.join(folder, name) for name in ("m.onnx", "x.npz", "y.npz"))
    with open(path, "wb") as f:
        f.write(data)
    np.savez(given, **{f"x{i}": array for i, array in enumerate(arrays)})
    done = subprocess.run([ASSAY, "run", path, "-i", given, "-o", out], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    with np.load(out) as found:
        return [found[k] for k in found.files], ""


def check(folder, name, seed):
    """What is wrong, or None."""
    try:
        model, arrays = build(CASES[name], seed)
        expected = model(arrays, training=False)
    except (ValueError, TypeError, NotImplementedError) as e:
        return f"Keras refuses it: {e}"
    path = os.path.join(folder, "m.keras")
    model.save(path)
    try:
        data = keras_to_onnx.convert(path)
    except keras_to_onnx.FileError as e:
        return str(e)
    got, said = run_reference(folder, data, arrays)
    return said or close(np.asarray(expected), got[0])


def main():
    draws = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    wrong = [f"{name}: it has no case" for name in sorted(set(keras_to_onnx.TABLE) - set(CASES) - WITHOUT_CASES)]
    print("\n".join(wrong), end="\n" if wrong else "")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[4:] or sorted(CASES):
            for seed in range(draws):
                keras.backend.clear_session()
                said = check(folder, name, seed)
                if said:
                    wrong.append(f"{name}, seed {seed}: {said}")
                    print(wrong[-1], flush=True)
    print(f"{len(sys.argv[4:]) or len(CASES)} classes of layers, {draws} configurations each: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
