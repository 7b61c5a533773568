"""onnxconverter-common: float16.convert_float_to_float16(), which leaves inputs and outputs as they are.

What float16 makes of the numbers is explained, not wrong (docs/oracle.md).  Numbers that float16 does not have are
clipped by the converter, on purpose.  Options: shapes=0, without shape inference.
Installed: site/ with onnxconverter_common, onnx and what these need.
"""

import importlib.metadata


def start(options):
    import onnx
    from onnxconverter_common import float16

    without = options.get("shapes") == "0"

    def rewrite(model):
        converted = float16.convert_float_to_float16(onnx.load_from_string(model), keep_io_types=True,
                                                     disable_shape_infer=without)
        return converted.SerializeToString()

    return importlib.metadata.version("onnxconverter-common"), rewrite
