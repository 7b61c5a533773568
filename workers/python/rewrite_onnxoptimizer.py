"""onnxoptimizer: all passes that fuse and eliminate, as optimize() takes them when none is named.

Options: fixed=1, until nothing changes any more; passes=A,B, these alone; disable=A,B, all but these.
Installed: site/ with onnxoptimizer, onnx and what that needs.  The bytes go to the C++ function that optimize() calls:
reading them into Python's messages and writing them again would only cost time.
"""

import importlib.metadata


def start():
    import onnxoptimizer.onnx_opt_cpp2py_export as library

    def configure(options):
        chosen = [name for name in options.get("passes", "").split(",") if name]
        left_out = options.get("disable", "").split(",")
        passes = [name for name in chosen or library.get_fuse_and_elimination_passes() if name not in left_out]
        optimize = library.optimize_fixedpoint if options.get("fixed") == "1" else library.optimize
        return lambda model: optimize(model, passes)

    return importlib.metadata.version("onnxoptimizer"), configure
