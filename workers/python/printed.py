"""What a library prints in place of telling it: some say so alone what they cannot do."""

import ctypes
import os
import sys
import tempfile

LIBC = ctypes.CDLL(None)


def flush():
    """Python has buffers of its own, and C's have what a library prints, unless PYTHONUNBUFFERED is set."""
    sys.stdout.flush()
    sys.stderr.flush()
    LIBC.fflush(None)


def printed(function, *arguments):
    """What a call gives, and the text that it writes to the descriptors 1 and 2, which reaches them afterwards; an
    exception has that text as `printed`."""
    flush()
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as file:
        try:
            for fd in (1, 2):
                os.dup2(file.fileno(), fd)
            result, error = function(*arguments), None
        except Exception as e:
            error = e
        finally:
            flush()
            for fd, old in enumerate(kept, 1):
                os.dup2(old, fd)
                os.close(old)
            file.seek(0)
            text = file.read()
            os.write(2, text)
    if error:
        error.printed = text.decode("utf-8", "replace")
        raise error
    return result, text.decode("utf-8", "replace")
