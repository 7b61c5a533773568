"""onnxsim: simplify() as it comes: shape inference, passes of onnxoptimizer and folding, until nothing changes.  One
setting is not its own: an initializer that is an input as well may be overwritten (mutable_initializer), as ONNX
has it; without that onnxsim drops such inputs, and says so in its documentation.

Options: disable=A,B, passes to leave out by their names, "constant_folding" and "shape_inference" among them;
passes=none, all of these.  Installed: site/ with onnxsim, onnx and what these need, without ONNX Runtime: constants are
folded by ONNX's own evaluator then.
"""

import importlib.metadata
import inspect


def settings(options):
    """What simplify() is called with."""
    left_out = {word for word in options.get("disable", "").split(",") if word}
    none = options.get("passes") == "none"
    return {"mutable_initializer": True,
            "skipped_optimizers": sorted(left_out - {"constant_folding", "shape_inference"}),
            "perform_optimization": not none,
            "skip_constant_folding": none or "constant_folding" in left_out,
            "skip_shape_inference": none or "shape_inference" in left_out}


def start():
    import onnx
    import onnxsim

    # From 0.8 on the result is proved equal, where a prover is installed; that changes nothing of the model.
    fixed = {"certify": False} if "certify" in inspect.signature(onnxsim.simplify).parameters else {}

    def configure(options):
        kept = settings(options)
        return lambda model: onnxsim.simplify(onnx.load_from_string(model), **kept, **fixed)[0].SerializeToString()

    return importlib.metadata.version("onnxsim"), configure
