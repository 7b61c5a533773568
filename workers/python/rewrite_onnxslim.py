"""onnxslim: slim() as it comes, which repeats its passes until nothing changes.

Options: disable=A,B, optimizations and fusion patterns to leave out; passes=none, all optimizations; shapes=0, without
shape inference.  Installed: site/ with onnxslim, onnx and what these need.
"""

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


def start(options):
    import onnx
    import onnxslim

    kept = settings(options)

    def rewrite(model):
        slimmed = onnxslim.slim(onnx.load_from_string(model), **kept)
        if slimmed is None:
            raise RuntimeError("slim() gave no model")
        return slimmed.SerializeToString()

    return onnxslim.__version__, rewrite
