"""ONNX Script: its optimizer, which folds constants, applies rewrite rules and removes what is not used; or its
rewriter alone, with the default rules.

Options: mode=optimize or mode=rewrite; disable=A,B, all rules but these; "all" are all rules, "constant_folding" is the
folding of constants.  Installed: site/ with onnxscript, onnx_ir, onnx and what these need.
"""

import importlib.metadata

PACKAGES = ("onnxscript", "onnx_ir")  # whose lines count: the second has passes that the optimizer runs


def leave_out(rewriter, left_out):
    """Default rules without those; both the optimizer and rewrite() read them from the module."""
    rules = [] if "all" in left_out else rewriter._DEFAULT_REWRITE_RULES
    kept = [rule for rule in rules if (rule.name or type(rule).__name__) not in left_out]
    rewriter._DEFAULT_REWRITE_RULES = tuple(kept) or rewriter.RewriteRuleSet([])  # an empty list is refused


def start():
    import onnx
    from onnxscript import optimizer, rewriter

    def configure(options):
        left_out = set(options.get("disable", "").split(",")) - {""}
        if left_out - {"constant_folding"}:
            leave_out(rewriter, left_out)
        limits = {"input_size_limit": 0, "output_size_limit": 0} if "constant_folding" in left_out else {}

        def optimize(model):
            return optimizer.optimize(model, **limits)

        function = rewriter.rewrite if options.get("mode") == "rewrite" else optimize
        return lambda model: function(onnx.load_from_string(model)).SerializeToString()

    return importlib.metadata.version("onnxscript"), configure
