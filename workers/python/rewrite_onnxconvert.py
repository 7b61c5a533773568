"""ONNX's own version converter, onnx.version_converter.convert_version().

Options: to=N, the opset to convert to; to=up, to=down, the next one above and below the model's; to=last, the newest
one that the library has.  An operator that has no adapter is not supported.
Installed: site/ with onnx and what that needs.
"""

from worker_types import Unsupported


def target(model, to, newest):
    opsets = [opset.version for opset in model.opset_import if opset.domain in ("", "ai.onnx")]
    if not opsets:
        raise Unsupported("a model without the domain of ONNX")
    wanted = {"up": opsets[0] + 1, "down": opsets[0] - 1, "last": newest}.get(to)
    wanted = int(to) if wanted is None else wanted
    if not 1 <= wanted <= newest:
        raise Unsupported(f"there is no opset {wanted} here")
    return wanted


def start():
    import onnx
    import onnx.version_converter as converter

    newest = onnx.defs.onnx_opset_version()

    def configure(options):
        def rewrite(model):
            given = onnx.load_from_string(model)
            wanted = target(given, options.get("to", "last"), newest)
            return converter.convert_version(given, wanted).SerializeToString()
        return rewrite

    return onnx.__version__, configure
