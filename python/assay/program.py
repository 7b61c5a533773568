"""The program behind the package: where it is, and how it is called."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CARRIED = os.path.join(HERE, "tree", "bin", "assay")  # where the wheel has it, with its data and workers beside it

NOTHING_FOUND, FINDINGS, BAD_INPUT, FAILED, NOTHING_JUDGED, EXPLAINED = range(6)  # exit statuses


class Error(Exception):
    """What the program refused or could not do; str() is its message, `status` its exit status."""

    def __init__(self, message, status=BAD_INPUT):
        super().__init__(message)
        self.status = status


Error.__module__ = "assay"  # as users name it, also in a traceback


def find_program():
    """The path of the program: $ASSAY_PROGRAM, the one that the wheel carries, or `assay` of the PATH."""
    given = os.environ.get("ASSAY_PROGRAM")
    if given:
        return given
    if os.path.exists(CARRIED):
        return CARRIED
    found = shutil.which("assay")
    if not found:
        raise Error("there is no program 'assay': install the wheel, or set ASSAY_PROGRAM to its path")
    return found


def environment():
    """Libraries that run in Python run in the one that called, unless ASSAY_PYTHON says otherwise."""
    return {"ASSAY_PYTHON": sys.executable, **os.environ}


def message_of(said):
    """The error in what the program wrote to standard error: from its line `assay: …` on."""
    at = said.rfind("\nassay: ")
    return said[at + 1:].strip().removeprefix("assay: ") if at >= 0 or said.startswith("assay: ") else said.strip()


def call(*words):
    """Runs the program; its exit status and standard output.  Bad input and failures raise Error."""
    __tracebackhide__ = True  # pytest shows the test's line and the message
    try:
        done = subprocess.run([find_program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment(), encoding="utf-8", errors="replace")
    except OSError as e:
        raise Error(f"cannot start '{find_program()}': {e.strerror}", FAILED) from e
    if done.returncode < 0:
        raise Error(f"assay died of signal {-done.returncode}\n{done.stderr}", FAILED)
    if done.returncode in (BAD_INPUT, FAILED):
        raise Error(message_of(done.stderr), done.returncode)
    return done.returncode, done.stdout


def call_json(*words):
    """The same for `--json`."""
    __tracebackhide__ = True
    status, said = call(*words, "--json")
    return status, json.loads(said)


def version():
    """The version of the program, as "0.1.0"."""
    return call("--version")[1].split()[-1]


def main():
    """The command `assay`: becomes the program."""
    try:
        program = find_program()
        os.execve(program, [program, *sys.argv[1:]], environment())
    except (Error, OSError) as e:
        print(f"assay: {e}", file=sys.stderr)
        return FAILED
