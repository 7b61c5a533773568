import os as _os

_os.environ.setdefault("JAX_PLATFORMS", "@device@" or "cpu")

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_default_matmul_precision", "highest")  # float32 is float32 on GPUs too

def version():
    return jax.__version__


def to_library(array):
    return jnp.asarray(array)


def to_numpy(value):
    return np.asarray(value)


def Relu(x):
    return jax.nn.relu(x)


def Sigmoid(x):
    return jax.nn.sigmoid(x)


def Tanh(x):
    return jnp.tanh(x)


def Exp(x):
    return jnp.exp(x)


def Log(x):
    return jnp.log(x)


def Sqrt(x):
    return jnp.sqrt(x)


def Abs(x):
    return jnp.abs(x)


def Neg(x):
    return jnp.negative(x)


def Erf(x):
    return jax.scipy.special.erf(x)


def Floor(x):
    return jnp.floor(x)


def Ceil(x):
    return jnp.ceil(x)


def Round(x):
    return jnp.round(x)


def Reciprocal(x):
    return jnp.reciprocal(x)


def Sign(x):
    return jnp.sign(x)


def Sin(x):
    return jnp.sin(x)


def Cos(x):
    return jnp.cos(x)


def Softplus(x):
    return jax.nn.softplus(x)


def Softsign(x):
    return jax.nn.soft_sign(x)


def Identity(x):
    return x


def Add(a, b):
    return jnp.add(a, b)


def Sub(a, b):
    return jnp.subtract(a, b)


def Mul(a, b):
    return jnp.multiply(a, b)


def Div(a, b):
    return jnp.divide(a, b)


def Pow(a, b):
    return jnp.power(a, b)


def MatMul(a, b):
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def LeakyRelu(x, alpha=0.01):
    return jax.nn.leaky_relu(x, alpha)


def Elu(x, alpha=1.0):
    return jax.nn.elu(x, alpha)


def Softmax(x, axis=-1):  # since 13
    return jax.nn.softmax(x, axis)


def LogSoftmax(x, axis=-1):  # since 13
    return jax.nn.log_softmax(x, axis)


def Clip(x, low=None, high=None):
    return jnp.clip(x, low, high)


def Transpose(x, perm=None):
    return jnp.transpose(x, perm)


def Flatten(x, axis=1):
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


def Concat(*xs, axis):
    return jnp.concatenate(xs, axis)


def Einsum(*xs, equation):
    return jnp.einsum(equation, *xs, precision=lax.Precision.HIGHEST)


def ReduceMean(x, axes_in=None, axes=None, keepdims=1):
    axes = np.asarray(axes_in).tolist() if axes_in is not None else axes
    return jnp.mean(x, tuple(axes) if axes else None, keepdims=bool(keepdims))


def ReduceSum(x, axes_in=None, axes=None, keepdims=1):
    axes = np.asarray(axes_in).tolist() if axes_in is not None else axes
    return jnp.sum(x, tuple(axes) if axes else None, keepdims=bool(keepdims))


def Conv(x, w, b=None, kernel_shape=None, strides=None, pads=None, dilations=None, group=1):
    n = x.ndim - 2
    pads = pads or [0] * 2 * n
    y = lax.conv_general_dilated(x, w, strides or [1] * n, [(pads[i], pads[i + n]) for i in range(n)],
                                 rhs_dilation=dilations, feature_group_count=group,
                                 precision=lax.Precision.HIGHEST)
    return y if b is None else y + b.reshape([1, -1] + [1] * n)


def GlobalAveragePool(x):
    return jnp.mean(x, tuple(range(2, x.ndim)), keepdims=True)


def Where(condition, a, b):
    return jnp.where(condition, a, b)
