"""ONNX Script: its optimizer, which folds constants, applies rewrite rules and removes what is not used; or its
rewriter alone, with the default rules.

Options: mode=optimize or mode=rewrite; mode=all, each rule of the package by itself, one after the other, those too
that the optimizer leaves to its callers; disable=A,B, all rules but these; "all" are all rules, "constant_folding" is
the folding of constants; save=FILE, where the names of the rules that changed a model go, one a line.  Installed: site/
with onnxscript, onnx_ir, onnx and what these need.
"""

import importlib
import importlib.metadata
import pkgutil

from worker_types import Unsupported


def known_as(rule):
    return rule.name or type(rule).__name__

PACKAGES = ("onnxscript", "onnx_ir")  # whose lines count: the second has passes that the optimizer runs


def leave_out(rewriter, left_out):
    """Default rules without those; both the optimizer and rewrite() read them from the module."""
    rules = [] if "all" in left_out else rewriter._DEFAULT_REWRITE_RULES
    kept = [rule for rule in rules if known_as(rule) not in left_out]
    rewriter._DEFAULT_REWRITE_RULES = tuple(kept) or rewriter.RewriteRuleSet([])  # an empty list is refused


def modules_of(package):
    package = importlib.import_module(package)
    return [importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]


def made_by(module, rewriter):
    """Rules of a module by name, and those in sets of rules; some are made by a function without arguments."""
    alone, in_sets = [], []
    for name, value in list(vars(module).items()):
        if callable(value) and name.endswith("_rules") and getattr(value, "__module__", "") == module.__name__:
            value = value()
        if isinstance(value, rewriter.RewriteRule):
            alone.append((name.removesuffix("_rule"), value))
        elif isinstance(value, rewriter.RewriteRuleSet):
            in_sets += [(name.removesuffix("_rules"), rule) for rule in value.rules]
    return alone, in_sets


# The opset that has what rules make: their callers have to ask.
SINCE = {"_fuse_hardswish": 14, "_layer_norm": 17, "_gqa": 23, "_rms_normalization": 23, "_rotary_embedding": 23}


def every_rule(rewriter):
    """Each rule of the package once, with the opset that it needs, under its own name or the one of the variable that
    holds it.  What was made of a rule, with operands the other way round, has its replacement."""
    rules, named = {}, {}
    try:
        modules = modules_of("onnxscript.rewriter.rules.common") + modules_of("onnxscript.rewriter.rules.fusion")
    except ImportError:
        raise Unsupported("this version has no modules of rules") from None
    for module in modules:
        alone, in_sets = made_by(module, rewriter)
        since = SINCE.get(module.__name__.rpartition(".")[2], 1)
        for name, rule in alone + in_sets:
            named.setdefault(id(rule._replacement_pattern), rule.name or name)
        for _, rule in in_sets + alone:  # a set has its rules in the order in which one leaves something to the next
            rules.setdefault(id(rule), (rule, since))
    return [(named[id(rule._replacement_pattern)], rule, since) for rule, since in rules.values()]


def tell(rewriter, rules, path):
    """Writes the names of rules that changed the model that is being rewritten."""
    named = {id(rule._replacement_pattern): name for name, rule, _ in rules}
    plain = rewriter.RewriteRule.try_rewrite

    def try_rewrite(self, *args, **kwargs):
        made = plain(self, *args, **kwargs)
        if made is not None:
            with open(path, "a") as f:
                print(named.get(id(self._replacement_pattern), known_as(self)), file=f)
        return made

    rewriter.RewriteRule.try_rewrite = try_rewrite


def start():
    import onnx
    from onnxscript import ir, optimizer, rewriter

    def one_by_one(left_out):
        rules = [(rule, since) for name, rule, since in every_rule(rewriter) if not {"all", name} & left_out]

        def apply(model):
            model = ir.serde.deserialize_model(onnx.shape_inference.infer_shapes(model))
            for rule, since in rules:
                if model.opset_imports.get("", 1) >= since:
                    rule.apply_to_model(model)
            optimizer.remove_unused_nodes(model)
            return ir.serde.serialize_model(model)

        return apply

    def configure(options):
        left_out = set(options.get("disable", "").split(",")) - {""}
        mode = options.get("mode")
        if options.get("save"):
            tell(rewriter, every_rule(rewriter), options["save"])
        if mode != "all" and left_out - {"constant_folding"}:
            leave_out(rewriter, left_out)
        limits = {"input_size_limit": 0, "output_size_limit": 0} if "constant_folding" in left_out else {}

        def optimize(model):
            return optimizer.optimize(model, **limits)

        functions = {"rewrite": rewriter.rewrite, "all": one_by_one(left_out) if mode == "all" else None}
        function = functions.get(mode, optimize)
        return lambda model: function(onnx.load_from_string(model)).SerializeToString()

    return importlib.metadata.version("onnxscript"), configure
