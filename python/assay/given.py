"""Models, inputs and dimensions as the command line takes them."""
import os

from .program import Error


def model_word(model, folder):
    """A path as it is; an onnx.ModelProto is written to a file (folder None: only its name)."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    if not hasattr(model, "SerializeToString"):
        raise Error(f"a model is a path, a name of the zoo or an onnx.ModelProto, not {type(model).__name__}")
    if folder is None:
        return "model.onnx"
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as f:
        f.write(model.SerializeToString())
    return path


def input_word(number, name, value, folder):
    if isinstance(value, (str, os.PathLike)):
        return f"{name}={os.fspath(value)}"
    if folder is None:
        return f"{name}={name}.npy"
    try:
        import numpy
    except ImportError:
        raise Error("inputs that are not files need numpy") from None
    path = os.path.join(folder, f"input-{number}.npy")
    numpy.save(path, numpy.asarray(value), allow_pickle=False)
    return f"{name}={path}"


def given_words(model, inputs, dims, folder):
    words = [model_word(model, folder)]
    for number, (name, value) in enumerate((inputs or {}).items()):
        words += ["-i", input_word(number, name, value, folder)]
    for name, size in (dims or {}).items():
        words += ["--dim", f"{name}={size}"]
    return words
