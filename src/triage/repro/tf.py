import os as _os

_os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(@threads@)


def version():
    return tf.__version__


def to_library(array):
    return tf.constant(array)


def to_numpy(value):
    return value.numpy()


def Relu(x):
    return tf.nn.relu(x)


def Sigmoid(x):
    return tf.sigmoid(x)


def Tanh(x):
    return tf.tanh(x)


def Exp(x):
    return tf.exp(x)


def Log(x):
    return tf.math.log(x)


def Sqrt(x):
    return tf.sqrt(x)


def Abs(x):
    return tf.abs(x)


def Neg(x):
    return tf.negative(x)


def Erf(x):
    return tf.math.erf(x)


def Floor(x):
    return tf.floor(x)


def Ceil(x):
    return tf.math.ceil(x)


def Round(x):
    return tf.round(x)


def Reciprocal(x):
    return tf.math.reciprocal(x)


def Sign(x):
    return tf.sign(x)


def Sin(x):
    return tf.sin(x)


def Cos(x):
    return tf.cos(x)


def Softplus(x):
    return tf.nn.softplus(x)


def Softsign(x):
    return tf.nn.softsign(x)


def Identity(x):
    return tf.identity(x)


def Add(a, b):
    return tf.add(a, b)


def Sub(a, b):
    return tf.subtract(a, b)


def Mul(a, b):
    return tf.multiply(a, b)


def Div(a, b):
    return tf.divide(a, b)


def Pow(a, b):
    return tf.pow(a, b)


def MatMul(a, b):
    return tf.linalg.matmul(a, b)


def LeakyRelu(x, alpha=0.01):
    return tf.nn.leaky_relu(x, alpha)


def Softmax(x, axis=-1):  # since 13
    return tf.nn.softmax(x, axis)


def LogSoftmax(x, axis=-1):  # since 13
    return tf.nn.log_softmax(x, axis)


def Transpose(x, perm=None):
    return tf.transpose(x, perm)


def Concat(*xs, axis):
    return tf.concat(xs, axis)


def Einsum(*xs, equation):
    return tf.einsum(equation, *xs)


def ReduceMean(x, axes_in=None, axes=None, keepdims=1):
    axes = axes_in.numpy().tolist() if axes_in is not None else axes
    return tf.reduce_mean(x, axes, bool(keepdims))


def ReduceSum(x, axes_in=None, axes=None, keepdims=1):
    axes = axes_in.numpy().tolist() if axes_in is not None else axes
    return tf.reduce_sum(x, axes, bool(keepdims))


def GlobalAveragePool(x):
    return tf.reduce_mean(x, list(range(2, len(x.shape))), True)


def Where(condition, a, b):
    return tf.where(condition, a, b)
