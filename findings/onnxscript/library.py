"""ONNX Script's optimizer, and what claims about it share."""

import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

from onnx.reference import ReferenceEvaluator  # noqa: E402

sys.path.pop(0)  # a folder here has the name of the package

from onnxscript import optimizer, rewriter  # noqa: E402


def call(text, *values, **options):
    """A call that runs what the optimizer makes of the graph in ONNX's text, by ONNX's own evaluator."""
    m = model(text, **options)
    return lambda: ReferenceEvaluator(optimizer.optimize(m)).run(None, feeds(m, values))


def by_rules(name, text, *values, **options):
    """The same of rules that the optimizer leaves to its callers, by their name in onnxscript.rewriter.rules.common."""
    rules = getattr(importlib.import_module("onnxscript.rewriter.rules.common"), name)
    m = model(text, **options)
    if isinstance(rules, rewriter.RewriteRule):
        rules = [rules]
    return lambda: ReferenceEvaluator(rewriter.rewrite(m, rules)).run(None, feeds(m, values))
