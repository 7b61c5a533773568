sys.path.insert(0, os.path.join(HERE, "binding"))  # ONNX's operators as calls of pytensor.tensor

library.config.floatX = "float32"
library.config.warn_float64 = "ignore"
if "@mode@" != "c":
    library.config.cxx = ""  # no compiler builds helpers
library.config.linker = {"c": "c|py", "numba": "numba"}.get("@mode@", "py")


def run(inputs):
    import pytensor_library

    with open(MODEL, "rb") as f:
        session = pytensor_library.Session(f.read(), [], "@mode@" or "py", "@rewrite@" or "fast_compile")
    if WANTED:
        return dict(zip(WANTED, session.backward(inputs, arrays("seeds.npz"), WANTED)))
    return dict(zip(OUTPUTS, session.run(inputs, list(OUTPUTS))))
