"""TensorFlow's Python package, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"


def with_tf(call, onednn=True):
    """call(tf) in a child that imports TensorFlow itself, with oneDNN's kernels or without them."""
    kernels = "1" if onednn else "0"
    if "tensorflow" in sys.modules and os.environ.get("TF_ENABLE_ONEDNN_OPTS") != kernels:
        raise RuntimeError("TensorFlow was imported before, maybe with other kernels")  # by preload.py

    def inner():
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = kernels
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        return call(tf)
    return inner


def called(f, *values, how="eager"):
    """f(tf, *tensors) as it comes (eager), in tf.function (graph), or compiled by XLA (xla)."""
    def inner(tf):
        tensors = [tf.constant(v) for v in values]
        if how == "eager":
            return f(tf, *tensors).numpy()
        program = tf.function(lambda *t: f(tf, *t), autograph=False, jit_compile=True if how == "xla" else None)
        return program(*tensors).numpy()
    return with_tf(inner)


def c_gradient(build, xs):
    """Σ y, y = build(tf, *placeholders), differentiated by TF_AddGradients of the C interface: by each of xs.

    The graph is made by the Python package and handed over as a GraphDef; the library is the package's own.
    """
    import ctypes as c

    def inner(tf):
        graph = tf.Graph()
        with graph.as_default():
            for i, x in enumerate(xs):
                tf.compat.v1.placeholder(x.dtype, x.shape, name="x%d" % i)
            y = build(tf, *[graph.get_tensor_by_name("x%d:0" % i) for i in range(len(xs))])
            tf.identity(y, name="y")
        return _c_run(c, tf, graph.as_graph_def().SerializeToString(), xs)
    return with_tf(inner)


def _c_run(c, tf, graph_def, xs):
    import numpy as np

    class Output(c.Structure):
        _fields_ = [("oper", c.c_void_p), ("index", c.c_int)]

    class Buffer(c.Structure):
        _fields_ = [("data", c.c_char_p), ("length", c.c_size_t), ("deallocator", c.c_void_p)]

    lib = c.CDLL(os.path.join(tf.sysconfig.get_lib(), "libtensorflow_cc.so.2"))
    for name in ("TF_NewStatus TF_NewGraph TF_NewBufferFromString TF_NewImportGraphDefOptions TF_GraphOperationByName "
                 "TF_NewSessionOptions TF_NewSession TF_NewTensor TF_AllocateTensor TF_TensorData TF_Message").split():
        getattr(lib, name).restype = c.c_char_p if name == "TF_Message" else c.c_void_p
    lib.TF_Dim.restype, lib.TF_TensorByteSize.restype = c.c_int64, c.c_size_t
    status, graph = c.c_void_p(lib.TF_NewStatus()), c.c_void_p(lib.TF_NewGraph())

    def check():
        if lib.TF_GetCode(status):
            raise RuntimeError(lib.TF_Message(status).decode())

    def output(name, index=0):
        return Output(lib.TF_GraphOperationByName(graph, name.encode()), index)

    buffer = c.c_void_p(lib.TF_NewBufferFromString(graph_def, c.c_size_t(len(graph_def))))
    lib.TF_GraphImportGraphDef(graph, buffer, c.c_void_p(lib.TF_NewImportGraphDefOptions()), status)
    check()
    ins = (Output * len(xs))(*[output("x%d" % i) for i in range(len(xs))])
    grads = (Output * len(xs))()
    lib.TF_AddGradients(graph, c.byref(output("y")), 1, ins, len(xs), None, status, grads)
    check()
    session = c.c_void_p(lib.TF_NewSession(graph, c.c_void_p(lib.TF_NewSessionOptions()), status))
    check()
    given = []
    for x in xs:
        dims = (c.c_int64 * x.ndim)(*x.shape)
        t = c.c_void_p(lib.TF_AllocateTensor(tf.as_dtype(x.dtype).as_datatype_enum, dims, x.ndim, c.c_size_t(x.nbytes)))
        c.memmove(lib.TF_TensorData(t), np.ascontiguousarray(x).ctypes.data, x.nbytes)
        given.append(t)
    results = (c.c_void_p * len(xs))()
    lib.TF_SessionRun(session, None, ins, (c.c_void_p * len(xs))(*given), len(xs), grads, results, len(xs), None, 0,
                      None, status)
    check()
    out = []
    for x, r in zip(xs, results):
        y = np.empty(x.shape, x.dtype)
        c.memmove(y.ctypes.data, lib.TF_TensorData(c.c_void_p(r)), y.nbytes)
        out.append(y)
    return out
