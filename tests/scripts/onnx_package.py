"""ONNX's own schemas and checker, out of the wheel that scripts/setup fetches.

The extension module of the package needs nothing but the Python that it was built for."""

import glob
import importlib.util
import os
import platform
import re
import tempfile
import unittest
import zipfile


def absent(why):
    """Where CI runs, what scripts/setup --ci fetches must be there."""
    return RuntimeError(why) if os.environ.get("ASSAY_REQUIRE_REPORT_TOOLS") else unittest.SkipTest(why)


def load(deps):
    """The module: .defs, .checker, .shape_inference; SkipTest where the wheel is not there or not for this Python."""
    wheels = sorted(glob.glob(os.path.join(deps, "wheels", f"onnx-*_{platform.machine()}.whl")),
                    key=lambda path: [int(n) for n in re.findall(r"\d+", os.path.basename(path))[:3]])
    if not wheels:
        raise absent(f"no wheel of onnx for {platform.machine()} in '{deps}'")
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheels[-1]) as wheel:
        member = next(n for n in wheel.namelist() if re.fullmatch(r"onnx/onnx_cpp2py_export[^/]*\.so", n))
        spec = importlib.util.spec_from_file_location("onnx.onnx_cpp2py_export", wheel.extract(member, folder))
        try:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        except ImportError as e:
            raise absent(f"'{os.path.basename(wheels[-1])}' is not for this Python: {e}") from None
        return module
