#!/usr/bin/env python3
"""Operators in Keras's layers (the option layers=1, workers/python/keras_layers.py): keras_bindings.py ASSAY DEPS

Each operator of the table runs in the layer that is named here, and gives what keras.ops gives.  What no layer says
runs in keras.ops.  The record of a run names the layer.
"""

import os
import sys
import tempfile

from keras_support import close, np

import keras_calls
import keras_layers
import keras_library
import onnx_builder
import record

OPSET = 23
RNG = np.random.default_rng(3)


def f(*shape):
    return RNG.uniform(0.5, 2, shape).astype(np.float32)


def whole(*values):
    return np.array(values, np.int64)


# operator, layers that must run, inputs (the first is one of the graph), attributes[, outputs]
CASES = [
    ("Conv", ["Conv2D"], [f(1, 2, 5, 5), f(3, 2, 3, 3), f(3)], {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    ("Conv", ["Conv1D"], [f(1, 4, 6), f(4, 2, 3)], {"group": 2, "auto_pad": "SAME_UPPER"}),
    ("Conv", ["Conv3D"], [f(1, 2, 4, 5, 6), f(3, 2, 2, 3, 2)], {"dilations": [1, 2, 1]}),
    ("Conv", ["DepthwiseConv2D"], [f(1, 3, 6, 6), f(6, 1, 3, 3), f(6)], {"group": 3, "pads": [1, 1, 1, 1]}),
    ("Conv", ["DepthwiseConv1D"], [f(1, 3, 6), f(3, 1, 3)], {"group": 3}),
    ("Conv", [], [f(0, 2, 5, 5), f(3, 2, 3, 3)], {}),
    ("ConvTranspose", ["Conv2DTranspose"], [f(1, 2, 4, 4), f(2, 3, 3, 3), f(3)], {"strides": [2, 2]}),
    ("MaxPool", ["MaxPooling2D"], [f(1, 2, 7, 6)], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}),
    ("AveragePool", ["AveragePooling2D"], [f(1, 2, 7, 6)], {"kernel_shape": [3, 3], "strides": [2, 2]}),
    ("AveragePool", [], [f(1, 2, 7, 6)], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    ("GlobalAveragePool", ["GlobalAveragePooling2D"], [f(2, 3, 4, 5)], {}),
    ("GlobalMaxPool", ["GlobalMaxPooling1D"], [f(2, 3, 4)], {}),
    ("BatchNormalization", ["BatchNormalization"], [f(2, 3, 4), f(3), f(3), f(3), f(3)], {"epsilon": 0.01}),
    ("LayerNormalization", ["LayerNormalization"], [f(2, 3, 4), f(3, 4), f(3, 4)], {"axis": 1}),
    ("LayerNormalization", ["LayerNormalization"], [f(2, 3, 4), f(4)], {}),
    ("RMSNormalization", ["RMSNormalization"], [f(2, 3, 4), f(4)], {}),
    ("GroupNormalization", ["GroupNormalization"], [f(2, 6, 4, 3), f(6), f(6)], {"num_groups": 3}),
    ("InstanceNormalization", ["GroupNormalization"], [f(2, 3, 4, 4), f(3), f(3)], {}),
    ("Gemm", ["Dense"], [f(3, 2), f(4, 3), f(4)], {"transA": 1, "transB": 1}),
    ("Gemm", [], [f(2, 3), f(3, 4), f(4)], {"alpha": 0.5}),
    ("MatMul", ["Dense"], [f(2, 3, 4), f(4, 5)], {}), ("MatMul", ["Dot"], [f(2, 3, 4), f(2, 4, 5)], {}),
    ("MatMul", [], [f(2, 1, 3, 4), f(5, 4, 2)], {}),
    ("Gather", ["Embedding"], [f(5, 3), whole(4, 0, -1)], {}), ("Gather", [], [f(5, 3), whole(1)], {"axis": 1}),
    ("RNN", ["SimpleRNN"], [f(3, 2, 4), f(1, 3, 4), f(1, 3, 3), f(1, 6)], {"hidden_size": 3}, 2),
    ("GRU", ["GRU"], [f(3, 2, 4), f(1, 9, 4), f(1, 9, 3), f(1, 18)], {"hidden_size": 3, "linear_before_reset": 1}, 2),
    ("GRU", ["GRU"], [f(3, 2, 4), f(1, 9, 4), f(1, 9, 3), f(1, 18), None, f(1, 2, 3)],
     {"hidden_size": 3, "direction": "reverse"}, 2),
    ("LSTM", ["LSTM"], [f(3, 2, 4), f(1, 12, 4), f(1, 12, 3), f(1, 24)], {"hidden_size": 3}, 3),
    ("LSTM", ["LSTM"], [f(2, 3, 4), f(1, 12, 4), f(1, 12, 3), None, None, f(2, 1, 3), f(2, 1, 3)],
     {"hidden_size": 3, "direction": "reverse", "layout": 1}, 3),
    ("LSTM", [], [f(3, 2, 4), f(2, 12, 4), f(2, 12, 3)], {"hidden_size": 3, "direction": "bidirectional"}, 3),
    ("Relu", ["ReLU"], [f(2, 3) - 1], {}), ("LeakyRelu", ["LeakyReLU"], [f(2, 3) - 1], {"alpha": 0.3}),
    ("Elu", ["ELU"], [f(2, 3) - 1], {"alpha": 0.7}), ("PRelu", ["PReLU"], [f(1, 3, 4, 4) - 1, f(3, 1, 1)], {}),
    ("Relu", [], [np.array([-1, 2], np.int32)], {}), ("Softmax", ["Softmax"], [f(2, 3, 4)], {"axis": 1}),
    ("Sigmoid", ["Activation"], [f(2, 3)], {}), ("Tanh", ["Activation"], [f(2, 3)], {}),
    ("Softplus", ["Activation"], [f(2, 3)], {}), ("Softsign", ["Activation"], [f(2, 3)], {}),
    ("Gelu", ["Activation"], [f(2, 3)], {}), ("Gelu", [], [f(2, 3)], {"approximate": "tanh"}),
    ("Selu", ["Activation"], [f(2, 3) - 1], {}), ("HardSwish", ["Activation"], [f(2, 3)], {}),
    ("Identity", ["Identity"], [f(2, 3)], {}), ("Add", ["Add"], [f(2, 3), f(2, 3)], {}),
    ("Add", [], [f(2, 3), f(3)], {}), ("Sum", ["Add"], [f(2, 3), f(2, 3), f(2, 3)], {}),
    ("Sub", ["Subtract"], [f(2, 3), f(2, 3)], {}), ("Mul", ["Multiply"], [f(2, 3), f(2, 3)], {}),
    ("Max", ["Maximum"], [f(2, 3), f(2, 3)], {}), ("Min", ["Minimum"], [f(2, 3), f(2, 3)], {}),
    ("Mean", ["Average"], [f(2, 3), f(2, 3), f(2, 3)], {}),
    ("Concat", ["Concatenate"], [f(1, 2, 3), f(1, 5, 3)], {"axis": 1}), ("Flatten", ["Flatten"], [f(2, 3, 4)], {}),
    ("Reshape", ["Reshape"], [f(2, 6), whole(0, 2, -1)], {}), ("Reshape", [], [f(2, 6), whole(3, 4)], {}),
    ("Transpose", ["Permute"], [f(2, 3, 4), ], {"perm": [0, 2, 1]}), ("Dropout", ["Dropout"], [f(2, 3)], {}),
]


def model_of(op, inputs, attributes, n_out):
    b = onnx_builder.Builder()
    tensors = [b.input("x", inputs[0].shape, inputs[0].dtype)]
    tensors += [None if v is None else b.constant(f"c{i}", v) for i, v in enumerate(inputs[1:])]
    b.outputs = b.node("y", op, tensors, [()] * n_out, inputs[0].dtype, attributes)
    return b.serialize()


def check(op, layers, inputs, attributes, n_out=1):
    """What is wrong, or None."""
    data, given, used = model_of(op, inputs, attributes, n_out), {"x": inputs[0]}, []
    names = ["y", "y.1", "y.2"][:n_out]
    expected = keras_library.Session(data, names).run(given, names)
    plain, made = dict(keras_library.TABLE), keras_calls.layer_of

    def counted(name):
        used.append(name)
        return made(name)

    keras_library.TABLE.update(keras_layers.TABLE)
    keras_calls.layer_of = counted
    try:
        got = keras_library.Session(data, names).run(given, names)
    finally:
        keras_calls.layer_of = made
        keras_library.TABLE.clear()
        keras_library.TABLE.update(plain)
    if used != layers:
        return f"it runs in {used}, expected {layers}"
    return next((said for e, g in zip(expected, got) if (said := close(e, g))), None)


def check_record():
    """A call of a layer is one call of the record, with what the layer is made with."""
    with tempfile.TemporaryDirectory() as folder:
        record.active = keras_calls.Recorder(folder, False)
        record.active.begin()
        values = [record.active.take(name, v, True) for name, v in (("x", f(2, 3)), ("w", f(3, 4)))]
        y = keras_calls.layer("Dense", values[0], [values[1]], units=4, use_bias=False)
        record.active.file.close()
        record.active = None
        with open(os.path.join(folder, "calls.py"), encoding="utf-8") as lines:
            said = lines.read()
    wanted = 'op("keras.layers.Dense", v0, [v1], units=4, use_bias=False)'
    return None if wanted in said and y.shape == (2, 4) else said


def main():
    onnx_builder.OPSET = OPSET
    wrong = [f"{op}: it has no case" for op in sorted(set(keras_layers.TABLE) - {c[0] for c in CASES if c[1]})]
    for case in CASES:
        said = check(*case)
        wrong += [f"{case[0]} {case[3]}: {said}"] if said else []
    said = check_record()
    wrong += [f"record: {said}"] if said else []
    print("\n".join([*wrong, f"{len(keras_layers.TABLE)} operators, {len(CASES)} cases: {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
