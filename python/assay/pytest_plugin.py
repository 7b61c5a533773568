"""The pytest plugin: a fixture `assert_right`, and the option --assay-backends.

    def test_model(assert_right):
        assert_right("m.onnx", ["ort", "openvino"])
"""
import functools

import pytest

from . import checks


def pytest_addoption(parser):
    group = parser.getgroup("assay", "assay: models on several libraries")
    group.addoption("--assay-backends", metavar="LIST", help="backends of assert_right() without any: ort,openvino")
    parser.addini("assay_backends", "backends of assert_right() without any", default="reference,ort")


@pytest.fixture(scope="session")
def assert_right(request):
    """assay.assert_right(), with the backends of --assay-backends or of assay_backends in pytest.ini as default."""
    names = request.config.getoption("--assay-backends") or request.config.getini("assay_backends")
    default = [name.strip() for name in names.split(",")]

    @functools.wraps(checks.assert_right)
    def asserted(model, backends=default, **options):
        __tracebackhide__ = True
        return checks.assert_right(model, backends, **options)

    return asserted
