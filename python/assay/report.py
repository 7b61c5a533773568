"""What a check said, as objects."""
from dataclasses import dataclass, field, fields
from typing import Optional, Tuple

from .program import FINDINGS, NOTHING_JUDGED


def number(value):
    """JSON has no infinity: the program writes "inf", "-inf" and "nan"."""
    return None if value is None else float(value)


class Shown:
    """repr() has what is known: no member that is None or empty."""

    def __repr__(self):
        known = ((f.name, getattr(self, f.name)) for f in fields(self) if f.repr)
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in known if v not in (None, '', ()))})"


@dataclass(frozen=True, repr=False)
class Suspect(Shown):
    """A node that may be to blame; those with a noise ratio are wrong when they run alone."""
    node: str
    operator: str
    noise_ratio: Optional[float]


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """What became of one backend.  `verdict` is a word that `assay help check` explains: agree, rounding, wrong, …"""
    backend: str
    version: str
    verdict: str
    is_finding: bool
    noise_ratio: Optional[float]  # error divided by what rounding explains; None: nothing was judged
    reason: str                   # one sentence; "" when it agrees
    explained_by: Optional[str]
    judged: int                   # inputs that could be judged
    output: Optional[str]         # the worst element: of which output,
    element: Optional[int]        # counted from 0 in row-major order,
    got: Optional[float]
    expected: Optional[float]


@dataclass(frozen=True, repr=False)
class Finding(Shown):
    """A backend that is wrong, and the node that is to blame for it (None: it is not known which)."""
    verdict: Verdict
    node: Optional[str] = None
    operator: Optional[str] = None
    suspects: Tuple[Suspect, ...] = ()

    @property
    def backend(self):
        return self.verdict.backend

    @property
    def noise_ratio(self):
        return self.verdict.noise_ratio

    def __str__(self):
        v = self.verdict
        lines = [f"{v.backend} {v.version}: {v.verdict}"]
        if v.output is not None:
            lines.append(f"  output '{v.output}', element {v.element}: got {v.got:.9g}, expected {v.expected:.9g}")
            if v.noise_ratio is not None:
                lines.append(f"  noise ratio {v.noise_ratio:.3g}: the error divided by what rounding explains")
        elif v.reason:
            lines.append("  " + v.reason)
        lines.append("  blamed: " + ("no single node" if self.node is None else f"{self.operator} '{self.node}'"))
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """What check() returns.  report["ort"] is the verdict on one backend."""
    model: str
    verdict: str  # the worst of all backends
    status: int   # the program's exit status
    backends: Tuple[Verdict, ...]
    findings: Tuple[Finding, ...]
    differences: Tuple[str, ...]  # backends that could not be judged and do not agree, one sentence each
    command: str                  # to see the same on a terminal
    raw: dict = field(repr=False, compare=False)  # all that `assay check --json` printed

    @property
    def ok(self):
        """True when nothing is wrong and every backend was judged on something."""
        return self.status not in (FINDINGS, NOTHING_JUDGED)

    def __getitem__(self, backend):
        for verdict in self.backends:
            if verdict.backend == backend:
                return verdict
        raise KeyError(backend)

    def __str__(self):
        """What is wrong, for people; one line when nothing is."""
        if self.ok:
            return f"{self.model}: {self.verdict}"
        if self.findings:
            lines = [f"{self.model}: {len(self.findings)} of {len(self.backends)} backends wrong"]
        else:
            lines = [f"{self.model}: " + ("backends differ" if self.differences else self.verdict)]
        for finding in self.findings:
            lines += ["  " + line for line in str(finding).split("\n")]
        lines += ["  " + how for how in self.differences]
        if self.status == NOTHING_JUDGED:
            lines += [f"  {v.backend} {v.version}: {v.verdict}, nothing was judged{': ' if v.reason else ''}{v.reason}"
                      for v in self.backends if not v.judged and not v.is_finding]
        return "\n".join(lines + ["  reproduce: " + self.command])


def verdict_of(row):
    worst = row["worst"] or {}
    return Verdict(backend=row["backend"], version=row["version"], verdict=row["verdict"],
                   is_finding=row["is_finding"], noise_ratio=number(row["noise_ratio"]), reason=row["reason"],
                   explained_by=row["explained_by"], judged=row["judged"], output=worst.get("output"),
                   element=worst.get("element"), got=number(worst.get("got")), expected=number(worst.get("expected")))


def finding_of(verdict, blame):
    suspects = tuple(Suspect(b["node"], b["op"], number(b["noise_ratio"])) for b in
                     sorted((b for b in blame if b["backend"] == verdict.backend), key=lambda b: b["rank"]))
    first = suspects[0] if suspects else None
    return Finding(verdict, first.node if first else None, first.operator if first else None, suspects)


def report_of(said, status, command):
    """A Report of what `assay check --json` printed."""
    verdicts = tuple(map(verdict_of, said["backend_verdicts"]))
    differences = tuple(f"{d['a']} and {d['b']} differ: {d['how']}" for d in said["differences"])
    return Report(model=said["model"], verdict=said["verdict"], status=status, backends=verdicts,
                  findings=tuple(finding_of(v, said["blame"]) for v in verdicts if v.is_finding),
                  differences=differences, command=command, raw=said)
