"""
title: A convolution of a TensorFlow graph whose filter is fed, and no constant, has other numbers.
library: MNN
shows: 3.6.1
class: bug
condition: A graph of TensorFlow's (.pb) with Conv2D, whose filter is a placeholder; by ONNX such a model is right.
rule: TensorFlow Conv2D: output[b, i, j, k] = sum input[b, i + di, j + dj, q] * filter[di, dj, q, k].
documented: docs/methods/fuzz.md, Models of TensorFlow
tracker: none found
"""
import os
import tempfile

from library import MNN, _tools, np, right, verdict, wrong

FLOAT, TYPE, SHAPE, TEXT, LIST = 1, 6, 7, 2, 1  # of TensorFlow's types; of AttrValue's fields


def field(number, data):
    """One of protobuf's: a number, or bytes that are shorter than 128 kB."""
    if isinstance(data, int):
        return bytes([number << 3, data])
    data = data.encode() if isinstance(data, str) else data
    return bytes([number << 3 | 2]) + (bytes([len(data)]) if len(data) < 128 else
                                       bytes([len(data) & 127 | 128, len(data) >> 7])) + data


def node(name, op, inputs=(), **attributes):
    entries = b"".join(field(5, field(1, key) + field(2, value)) for key, value in attributes.items())
    return field(1, field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs) + entries)


def shape(sizes):
    return b"".join(field(2, field(1, size)) for size in sizes)


def given(name, value, constant):
    kind = field(TYPE, FLOAT)
    if not constant:
        return node(name, "Placeholder", dtype=kind, shape=field(SHAPE, shape(value.shape)))
    tensor = field(1, FLOAT) + field(2, shape(value.shape)) + field(4, value.tobytes())
    return node(name, "Const", dtype=kind, value=field(8, tensor))


def convolved(x, w, constant):
    """y of MNN, for the graph y = Conv2D(x, w) with w a constant or a placeholder."""
    ones = field(LIST, field(3, bytes([1, 1, 1, 1])))
    graph = (given("x", x, False) + given("w", w, constant) +
             node("y", "Conv2D", ["x", "w"], T=field(TYPE, FLOAT), strides=ones, dilations=ones,
                  padding=field(TEXT, "VALID"), data_format=field(TEXT, "NHWC")))
    fed = {"x": x} if constant else {"x": x, "w": w}
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "m.pb"), os.path.join(folder, "m.mnn")
        with open(source, "wb") as f:
            f.write(graph)
        _tools.mnnconvert(["mnnconvert", "-f", "TF", "--modelFile", source, "--MNNModel", target, "--bizCode", "claim"])
        module = MNN.nn.load_module_from_file(target, list(fed), ["y"], backend=MNN.expr.Backend.CPU, thread_num=1,
                                              precision_mode=MNN.expr.PrecisionMode.High)
        values = []
        for value in fed.values():
            values.append(MNN.expr.placeholder(list(value.shape), MNN.expr.NHWC, MNN.expr.float))
            values[-1].write(value)
        y = module.forward(values)[0]
        if y.data_format == MNN.expr.NC4HW4:
            y = MNN.expr.convert(y, MNN.expr.NHWC)
        return np.array(y.read()).reshape(y.shape)


X = np.arange(1, 19, dtype=np.float32).reshape(1, 3, 3, 2)
W = np.arange(-8, 8, dtype=np.float32).reshape(2, 2, 2, 2)
Y = np.array([[[[sum(X[0, i + a, j + b, q] * W[a, b, q, k] for a in range(2) for b in range(2) for q in range(2))
                 for k in range(2)] for j in range(2)] for i in range(2)]], np.float32)

wrong("a filter that is fed", lambda: convolved(X, W, False), Y)
right("a filter that is a constant", lambda: convolved(X, W, True), Y)
verdict()
