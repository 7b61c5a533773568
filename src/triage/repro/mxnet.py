import mxnet as mx


def version():
    return mx.__version__


def to_library(array):
    return mx.nd.array(array, dtype=array.dtype)


def to_numpy(value):
    return value.asnumpy()


def Relu(x):
    return mx.nd.relu(x)


def Sigmoid(x):
    return mx.nd.sigmoid(x)


def Tanh(x):
    return mx.nd.tanh(x)


def Exp(x):
    return mx.nd.exp(x)


def Log(x):
    return mx.nd.log(x)


def Sqrt(x):
    return mx.nd.sqrt(x)


def Abs(x):
    return mx.nd.abs(x)


def Neg(x):
    return mx.nd.negative(x)


def Erf(x):
    return mx.nd.erf(x)


def Floor(x):
    return mx.nd.floor(x)


def Ceil(x):
    return mx.nd.ceil(x)


def Reciprocal(x):
    return mx.nd.reciprocal(x)


def Sign(x):
    return mx.nd.sign(x)


def Sin(x):
    return mx.nd.sin(x)


def Cos(x):
    return mx.nd.cos(x)


def Softsign(x):
    return mx.nd.softsign(x)


def Identity(x):
    return mx.nd.identity(x)


def Add(a, b):
    return mx.nd.broadcast_add(a, b)


def Sub(a, b):
    return mx.nd.broadcast_sub(a, b)


def Mul(a, b):
    return mx.nd.broadcast_mul(a, b)


def Div(a, b):
    return mx.nd.broadcast_div(a, b)


def Pow(a, b):
    return mx.nd.broadcast_power(a, b)


def LeakyRelu(x, alpha=0.01):
    return mx.nd.LeakyReLU(x, act_type="leaky", slope=alpha)


def Softmax(x, axis=-1):  # since 13
    return mx.nd.softmax(x, axis=axis)


def LogSoftmax(x, axis=-1):  # since 13
    return mx.nd.log_softmax(x, axis=axis)


def Transpose(x, perm=None):
    return mx.nd.transpose(x, axes=perm or ())


def Concat(*xs, axis):
    return mx.nd.concat(*xs, dim=axis)


def Einsum(*xs, equation):
    return mx.np.einsum(equation, *(x.as_np_ndarray() for x in xs)).as_nd_ndarray()
