"""assay tests deep-learning libraries: it runs an ONNX model on several of them and says which answer is wrong.

    import assay

    report = assay.check("m.onnx", backends=["ort"])
    for finding in report.findings:
        print(finding.backend, finding.node, finding.operator, finding.noise_ratio)

check(), run(), backends() and install() start the program `assay` and return what it says as objects.  What the program
refuses (a missing file, an unknown backend) raises assay.Error with its message.
"""
from .checks import assert_right, check
from .installed import Backend, backends, install
from .program import Error, find_program, version
from .report import Finding, Report, Suspect, Verdict
from .runs import Tensor, run

__all__ = [
    "Backend", "Error", "Finding", "Report", "Suspect", "Tensor", "Verdict", "assert_right", "backends", "check",
    "find_program", "install", "run", "version",
]
