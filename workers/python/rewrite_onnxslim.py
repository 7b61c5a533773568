"""onnxslim: slim() as it comes, which repeats its passes until nothing changes.

Options: disable=A,B, optimizations and fusion patterns to leave out; passes=none, all optimizations; shapes=0, without
shape inference.  Installed: site/ with onnxslim, onnx, onnxruntime, with which it folds constants, and what these need.
"""

from worker_types import Unsupported

OPTIMIZATIONS = ("constant_folding", "graph_fusion", "dead_node_elimination", "subexpression_elimination",
                 "weight_tying")


def settings(options):
    """What slim() is called with."""
    left_out = [word for word in options.get("disable", "").split(",") if word]
    skipped = [name for name in OPTIMIZATIONS if name in left_out or options.get("passes") == "none"]
    patterns = [name for name in left_out if name not in OPTIMIZATIONS]
    given = {"skip_optimizations": skipped, "skip_fusion_patterns": patterns,
             "no_shape_infer": options.get("shapes") == "0"}
    return {name: value for name, value in given.items() if value}


def check_opset(model):
    """Its shape inference gives up, with a warning, and slim() falls over what that gave."""
    opsets = [opset.version for opset in model.opset_import if opset.domain in ("", "ai.onnx")]
    if not opsets or opsets[0] < 7:
        raise Unsupported("shape inference says: Only support models of onnx opset 7 and above.")


def start():
    import onnx
    import onnxruntime
    import onnxslim

    onnxruntime.set_default_logger_severity(4)

    def configure(options):
        kept = settings(options)

        def rewrite(model):
            given = onnx.load_from_string(model)
            check_opset(given)
            slimmed = onnxslim.slim(given, **kept)
            if slimmed is None:
                raise RuntimeError("slim() gave no model")
            return slimmed.SerializeToString()

        return rewrite

    return onnxslim.__version__, configure
