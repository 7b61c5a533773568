import torch
import torch.nn.functional as F

DEVICE = "@device@" or "cpu"
torch.set_num_threads(@threads@)
torch.backends.cudnn.allow_tf32 = False  # float32 is float32 on GPUs too


def version():
    return torch.__version__


def to_library(array):
    return torch.from_numpy(np.array(array)).to(DEVICE)


def to_numpy(value):
    return value.detach().cpu().numpy()


def Relu(x):
    return torch.relu(x)


def Sigmoid(x):
    return torch.sigmoid(x)


def Tanh(x):
    return torch.tanh(x)


def Exp(x):
    return torch.exp(x)


def Log(x):
    return torch.log(x)


def Sqrt(x):
    return torch.sqrt(x)


def Abs(x):
    return torch.abs(x)


def Neg(x):
    return torch.neg(x)


def Erf(x):
    return torch.erf(x)


def Floor(x):
    return torch.floor(x)


def Ceil(x):
    return torch.ceil(x)


def Round(x):
    return torch.round(x)


def Reciprocal(x):
    return torch.reciprocal(x)


def Sign(x):
    return torch.sign(x)


def Sin(x):
    return torch.sin(x)


def Cos(x):
    return torch.cos(x)


def Softsign(x):
    return F.softsign(x)


def Softplus(x):
    return F.softplus(x)


def Identity(x):
    return x


def Add(a, b):
    return torch.add(a, b)


def Sub(a, b):
    return torch.sub(a, b)


def Mul(a, b):
    return torch.mul(a, b)


def Div(a, b):
    return torch.div(a, b)


def Pow(a, b):
    return torch.pow(a, b)


def MatMul(a, b):
    return torch.matmul(a, b)


def LeakyRelu(x, alpha=0.01):
    return F.leaky_relu(x, alpha)


def Elu(x, alpha=1.0):
    return F.elu(x, alpha)


def Softmax(x, axis=-1):  # since 13
    return torch.softmax(x, axis)


def LogSoftmax(x, axis=-1):  # since 13
    return torch.log_softmax(x, axis)


def Clip(x, low=None, high=None):
    return torch.clamp(x, low, high)


def Transpose(x, perm=None):
    return x.permute(*(perm if perm else reversed(range(x.dim()))))


def Flatten(x, axis=1):
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


def Concat(*xs, axis):
    return torch.cat(xs, axis)


def Sum(*xs):
    total = xs[0]
    for x in xs[1:]:
        total = torch.add(total, x)
    return total


def Einsum(*xs, equation):
    return torch.einsum(equation, *xs)


def ReduceMean(x, axes_in=None, axes=None, keepdims=1):
    axes = axes_in.tolist() if axes_in is not None else axes
    return torch.mean(x, axes or list(range(x.dim())), bool(keepdims))


def ReduceSum(x, axes_in=None, axes=None, keepdims=1):
    axes = axes_in.tolist() if axes_in is not None else axes
    return torch.sum(x, axes or list(range(x.dim())), bool(keepdims))


def Gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    a, b = (a.T if transA else a), (b.T if transB else b)
    if c is None:
        return alpha * torch.matmul(a, b)
    return torch.addmm(c, a, b, beta=beta, alpha=alpha)


def Conv(x, w, b=None, kernel_shape=None, strides=None, pads=None, dilations=None, group=1):
    n = x.dim() - 2
    pads = pads or [0] * 2 * n
    x = F.pad(x, [p for i in reversed(range(n)) for p in (pads[i], pads[i + n])])
    conv = (F.conv1d, F.conv2d, F.conv3d)[n - 1]
    return conv(x, w, b, strides or 1, 0, dilations or 1, group)


def MaxPool(x, kernel_shape, strides=None, pads=None, dilations=None, ceil_mode=0, storage_order=0):
    n = x.dim() - 2
    pads = pads or [0] * 2 * n
    x = F.pad(x, [p for i in reversed(range(n)) for p in (pads[i], pads[i + n])], value=float("-inf"))
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[n - 1]
    return pool(x, kernel_shape, strides or [1] * n, 0, dilations or 1, bool(ceil_mode))


def AveragePool(x, kernel_shape, strides=None, pads=None, ceil_mode=0, count_include_pad=0):
    n = x.dim() - 2
    pads = pads or [0] * 2 * n
    assert pads[:n] == pads[n:], "asymmetric pads"
    pool = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[n - 1]
    return pool(x, kernel_shape, strides or [1] * n, pads[:n], bool(ceil_mode), bool(count_include_pad))


def GlobalAveragePool(x):
    return torch.mean(x, list(range(2, x.dim())), True)


def BatchNormalization(x, scale, bias, mean, var, epsilon=1e-5, momentum=0.9, spatial=1):
    return F.batch_norm(x, mean, var, scale, bias, False, 0.0, epsilon)


def LayerNormalization(x, scale, bias=None, axis=-1, epsilon=1e-5, stash_type=1):
    return F.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def Where(condition, a, b):
    return torch.where(condition, a, b)
