"""onnxconverter-common: convert_float_to_float16(), with inputs and outputs in the types that they had.

Numbers that are too small for float16 are moved to the end of its range, and those that are too large become infinite,
as a number does that is converted while the model runs; not to the narrower ends that the function takes when it is
told none.

Options: infer=0, without shape inference; block=A,B, operators that stay in float32 besides those of its own list.
Installed: site/ with onnxconverter_common, onnx and what these need.
"""

import importlib.metadata

from worker_types import Unsupported

SMALLEST = 2.0 ** -24  # of float16


def start():
    import onnx
    from onnxconverter_common import float16

    def configure(options):
        more = [word for word in options.get("block", "").split(",") if word]
        kept = {"keep_io_types": True, "min_positive_val": SMALLEST, "max_finite_val": float("inf"),
                "disable_shape_infer": options.get("infer") == "0"}
        if more:
            kept["op_block_list"] = float16.DEFAULT_OP_BLOCK_LIST + more

        def rewrite(model):
            try:
                return float16.convert_float_to_float16(onnx.load_from_string(model), **kept).SerializeToString()
            except ValueError as e:
                if "already converted to float16" in str(e):  # as it is documented: a tensor is of that type
                    raise Unsupported(str(e)) from e
                raise

        return rewrite

    return importlib.metadata.version("onnxconverter-common"), configure
