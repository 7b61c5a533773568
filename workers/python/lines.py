"""Which lines of a library's own Python code its worker has reached: the option lines=FILE (docs/protocol.md).

Python calls a function of ours for each line while it is watched, which is slow.  So a function of the library is
watched only until all of its lines were reached, or until it was called QUIET times without a new one; after that each
call of it costs one look into a table.  Lines that are run by import, and threads other than this one, do not count.
"""

import contextlib
import dis
import os
import sys

QUIET = 200


class Code:
    """Of one function: lines that were not reached yet, and calls since the last new one."""

    def __init__(self, code, root):
        lines = {line for _, line in dis.findlinestarts(code) if line}
        if len(lines) > 1:
            lines.discard(code.co_firstlineno)  # the line of its "def", which is no step
        self.code, self.left, self.quiet = code, lines, 0  # what is kept keeps its id()
        self.name = os.path.relpath(code.co_filename, os.path.dirname(root)) if root else ""


class Lines:
    """with lines: the library is called.  What is new is then added to the file, a line "keras/x.py:12" each."""

    def __init__(self, path, packages):
        modules = [sys.modules[p] for p in packages if p in sys.modules]
        self.roots = [root for m in modules for root in getattr(m, "__path__", [])]
        self.path, self.codes, self.fresh = path, {}, []

    def begin(self, code):
        root = next((r for r in self.roots if code.co_filename.startswith(r + os.sep)), None)
        known = self.codes[id(code)] = Code(code, root)
        if root is None:
            known.left = ()
        return known

    def called(self, frame, event, arg):
        known = self.codes.get(id(frame.f_code)) or self.begin(frame.f_code)
        if not known.left:
            return None
        known.quiet += 1
        if known.quiet > QUIET:
            known.left = ()
            return None

        def stepped(frame, event, arg):
            line = frame.f_lineno
            if event == "line" and line in known.left:
                known.left.discard(line)
                known.quiet = 0
                self.fresh.append(f"{known.name}:{line}\n")
            return stepped if known.left else None
        return stepped

    def __enter__(self):
        sys.settrace(self.called)

    def __exit__(self, *error):
        sys.settrace(None)
        if self.fresh:
            with contextlib.suppress(OSError), open(self.path, "a", encoding="utf-8") as f:
                f.write("".join(self.fresh))
        self.fresh.clear()


def watching(options, packages):
    """Lines as the options want it, or a context that does nothing."""
    return Lines(options["lines"], packages) if options.get("lines") else contextlib.nullcontext()
