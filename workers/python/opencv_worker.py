"""OpenCV's dnn module as a backend: it reads ONNX itself, with one of two engines (engine=new, engine=classic), or with
the new one and, where that has not all of a model's operators, the classic one (engine=auto, its own default).

Versions before 5 have the classic engine alone, blobs of two axes or more, and float32 for all types.  Version 5 keeps
float16, bfloat16 and float64 as float32, and its Python interface takes int64 as int32: what does not fit, or comes
back in another type for this reason, is unsupported.  So is what it refuses of a model with a constant that has no
elements, or of texts: there is no such blob.  And what the classic engine, or a version before 5, refuses of a model
whose inputs have sizes that are not known: OpenCV's developers say that it does not support these (its issues 18072 and
26141), the new engine does.  Installed: site/ with cv2 and numpy.
"""

import re

import numpy as np

import onnx_types
from worker_types import Rejected, Unsupported
from converted import Model, operators_of
from values import to_numpy
from wire import LENGTH, VARINT, Writer, fields_of_kinds

# What OpenCV says of what it does not have; the classic engine asks for constants where ONNX has inputs.  Anything else
# that it refuses is a valid model refused.
LACKS = re.compile(r"Can't create layer|[Nn]ot implemented|[Nn]ot supported|[Uu]nsupported|does ?n.t support|"
                   r"const blobs|constBlobs|const_id|must be constant|layer_id\.find|(?:inp|out)type == CV|"
                   r"\(bool\)layer|input == CV|inputs\[\d+\] == CV|\bt == CV|src\.type\(\) == CV|"
                   r"!= \"tf_crop_and_resize\"|'interpolation' is cubic|blobs\[\d+\]\.type\(\) == CV|"
                   r"ndims <= \w*MAX_DIMS")
SAID = re.compile(r"error: \((?:-\d+:[^)]*)\)\s*(.*)", re.DOTALL)
AS_FLOAT32 = {"float16", "bfloat16", "float64"}
AS_INT32 = {"int64", "uint64"}  # by the Python interface
COME_AS_FLOAT32 = AS_FLOAT32 | {"uint32", "uint64"}  # of the classic engine, which reads what the new one does not


def said(error):
    """OpenCV's own words, without the path of its source file and the frame around them."""
    text = str(error)
    inner = text.rpartition("parse error:")[2]
    found = SAID.search(inner)
    return " ".join((found.group(1) if found else inner).replace("\n>", " ").split())


def refuse(error, model, unsized=None):
    """unsized: an input whose sizes are not known, of a model that the classic engine reads."""
    text = said(error)
    if unsized is not None:
        raise Unsupported(f"sizes of input '{unsized}' are not known, which the classic engine lacks: {text}") from None
    texts = [name for name, value in model.graph.constants.items() if value.dtype.kind in "OSU"]
    if texts:
        raise Unsupported(f"constant '{texts[0]}' is of texts: {text}") from None
    empty = [name for name, value in model.graph.constants.items() if value.size == 0]
    if empty:
        raise Unsupported(f"constant '{empty[0]}' has no elements: {text}") from None
    raise (Unsupported if LACKS.search(str(error)) else Rejected)(text) from None


def unsized(model):
    """Inputs whose sizes are not known; of an axis that has neither a size nor a name the size reads as 0."""
    return [name for name in model.inputs if model.shapes[name] is None or not all(model.shapes[name])]


def _changed(data, number, change):
    """A message with one of its fields changed wherever it occurs."""
    w = Writer()
    for at, kind, value in fields_of_kinds(data):
        if kind == VARINT:
            w.varint(at << 3 | VARINT)
            w.varint(value)
        elif kind == LENGTH:
            w.block(at, change(bytes(value)) if at == number else bytes(value))
        else:
            w.varint(at << 3 | kind)
            w.write(bytes(value))
    return w.getvalue()


def _declared(output):
    """An output with a type and a shape; what they say of it is not looked at."""
    if any(number == 2 for number, _, _ in fields_of_kinds(output)):
        return output
    return output + b"\x12\x06\x0a\x04\x08\x01\x12\x00"  # type: tensor_type: elem_type 1, shape without axes


def _declare_outputs(path):
    """OpenCV refuses a graph whose outputs have no type, which intermediate tensors and some models do not have."""
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(_changed(data, 7, lambda graph: _changed(graph, 12, _declared)))


class Session:
    pass


class Backend:
    library = "opencv"

    def open(self, folder, options):
        import cv2

        self.cv2 = cv2
        cv2.ocl.setUseOpenCL(False)
        self.error = cv2.error
        self.classic = not hasattr(cv2.dnn, "ENGINE_NEW")
        self.reopen(options)
        return cv2.__version__

    def reopen(self, options):
        """All other options are about a model."""
        self.cv2.setNumThreads(int(options.get("threads", "1")))

    def _engine(self, options):
        """What is told to the reader beside the model."""
        wanted = options.get("engine", "auto")
        engine = getattr(self.cv2.dnn, "ENGINE_" + wanted.upper(), None)
        if engine is None and wanted == "new":
            raise Unsupported(f"OpenCV {self.cv2.__version__} has no engine '{wanted}'")
        return () if engine is None else (engine,)

    def _fuses(self, options):
        """enableFusion(False) leaves a network of the new engine without its inputs: findings/opencv/fusion-off.py."""
        fuses = options.get("fusion", "1") != "0"
        if not fuses and not self.classic and options.get("engine", "auto") != "classic":
            raise Unsupported("fusion cannot be turned off in the new engine; engine=classic has it")
        return fuses

    def _unsized(self, model, options):
        """An input that the classic engine is not for, if that is the one that reads the model."""
        found = unsized(model)
        engine = options.get("engine", "auto")
        if not found or engine == "new":
            return None
        if self.classic or engine == "classic":
            return found[0]
        return found[0] if self.cv2.dnn.readNetFromONNX(model.path, self.cv2.dnn.ENGINE_NEW).empty() else None

    def load(self, model, options, outputs):
        session = Session()
        session.model = Model(model, outputs)  # a file: given bytes, 5.0.0 takes engine=classic for auto
        session.unsized = None
        try:
            _declare_outputs(session.model.path)
            session.unsized = self._unsized(session.model, options)
            session.net = self.cv2.dnn.readNetFromONNX(session.model.path, *self._engine(options))
            if session.net.empty():  # the new engine says what it lacks on standard error
                raise Unsupported("the engine has not all operators of the model")
            session.net.enableFusion(self._fuses(options))
            if options.get("winograd", "1") == "0":
                session.net.enableWinograd(False)
        except self.error as e:
            refuse(e, session.model, session.unsized)
        finally:
            session.model.remove()
        return session

    def outputs(self, session):
        return session.model.outputs

    def run(self, session, inputs, names):
        try:
            for name, value in inputs.items():
                session.net.setInput(self._input(to_numpy(value), name), name)
            results = session.net.forward(list(names))
        except self.error as e:
            refuse(e, session.model, session.unsized)
        return [self._output(r, name, session) for r, name in zip(results, names)]

    def _input(self, array, name):
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
            raise Unsupported(f"input '{name}' is not a tensor of numbers")
        if array.size == 0:
            raise Unsupported(f"input '{name}' has no elements: there is no such blob")
        if array.dtype.name in AS_FLOAT32:
            raise Unsupported(f"input '{name}' of type {array.dtype.name}, which is kept as float32")
        if array.dtype.name in AS_INT32 and not np.array_equal(array.astype(np.int32), array):
            raise Unsupported(f"input '{name}' has numbers that do not fit int32")
        array = np.ascontiguousarray(array).reshape(array.shape)  # the first makes one axis of none
        if not self.classic:
            return array
        if array.ndim < 2:
            raise Unsupported(f"input '{name}' of {array.ndim} axes")
        return self.cv2.Mat(array)  # of three axes the last would be channels

    def _output(self, result, name, session):
        if result is None:
            raise Unsupported(f"output '{name}' has no elements")
        declared = onnx_types.NAMES.get(session.model.types.get(name, 0), "")
        casts = any(op.startswith("Cast") for op in operators_of(session.model.graph))
        if not declared and (casts or result.dtype != np.float32):  # it may stand for another type
            raise Unsupported(f"the model does not declare the type of '{name}'")
        kept = result.dtype == np.float32 and (declared in COME_AS_FLOAT32 or self.classic and declared != "float32")
        kept = kept or result.dtype == np.int32 and declared in AS_INT32
        if kept or declared not in ("", "bool") and not hasattr(np, declared):
            raise Unsupported(f"output '{name}' of type {declared} comes as {result.dtype.name}")
        shape = session.model.shapes.get(name)
        if self.classic and shape is not None and len(shape) < 2:
            raise Unsupported(f"output '{name}' of {len(shape)} axes")
        if shape == [] and result.shape == (1,):
            return result.reshape(())  # most layers do not tell a scalar from one element
        return result
