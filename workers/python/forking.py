"""Starting again by fork, for workers in Python (docs/protocol.md): the library is imported once, and each process that
follows one that died is a copy of that.

Only a process without threads can be copied like this, so threads are counted each time.  os.fork() would make a child
of this process; the parent must be able to wait for it, so that it has to be a sibling.  Python is told of the copy
by the same calls that os.fork() makes.
"""

import ctypes
import os
import platform
import select
import signal
import socket
import struct
import sys
import tempfile

CONTROL = 5  # the descriptor on which orders come
MAX_PATH = 4096
_CLONE = {"x86_64": 56, "aarch64": 220}  # numbers of the system call
_CLONE_PARENT, _CLONE_CHILD_CLEARTID, _CLONE_CHILD_SETTID = 0x8000, 0x200000, 0x1000000
_PR_SET_PDEATHSIG, _PR_GET_TID_ADDRESS = 1, 40


def _threads():
    return len(os.listdir("/proc/self/task"))


def _libc():
    return ctypes.PyDLL(None)  # not CDLL: nobody else may have the interpreter while it is copied


def _tid_address(libc):
    """Where the C library keeps the number of its only thread, which is another one in the copy; 0: not to be known."""
    address = ctypes.c_void_p()
    failed = libc.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(address), 0, 0, 0)
    return 0 if failed else address.value or 0


def control():
    """The socket on which orders come, or None where this process cannot be copied."""
    if not hasattr(socket, "recv_fds"):  # before Python 3.9
        return None
    try:
        orders = socket.socket(fileno=CONTROL)
        if orders.type != socket.SOCK_SEQPACKET:
            orders.detach()  # it is somebody else's
            return None
    except OSError:
        return None
    os.set_inheritable(CONTROL, False)
    if _threads() == 1 and platform.machine() in _CLONE and _tid_address(_libc()):
        return orders
    return None


def _fork_sibling():
    """0 in the copy, its number in this process."""
    libc, api, machine = _libc(), ctypes.pythonapi, platform.machine()
    flags = _CLONE_PARENT | _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID | signal.SIGCHLD
    tid, nothing = ctypes.c_void_p(_tid_address(libc)), ctypes.c_void_p()
    last = (tid, nothing) if machine == "x86_64" else (nothing, tid)  # its number, thread-local storage
    sys.stdout.flush()  # what is buffered would be printed twice
    sys.stderr.flush()
    api.PyOS_BeforeFork()
    pid = libc.syscall(ctypes.c_long(_CLONE[machine]), ctypes.c_ulong(flags), nothing, nothing, *last)
    (api.PyOS_AfterFork_Parent if pid else api.PyOS_AfterFork_Child)()
    return pid


def _settle(fds, folder, parent):
    """The copy takes its place: descriptors 1 to 4 and the folder."""
    os.setsid()
    _libc().prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    connection, shared, output = fds
    for source, to, inherited in ((output, 1, True), (output, 2, True), (connection, 3, False), (shared, 4, False)):
        os.dup2(source, to, inheritable=inherited)
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = folder
    tempfile.tempdir = None


def _take_order(orders):
    """True in a copy that has taken its place, False in the process that goes on as it was; None: no more will come."""
    folder, fds, _, _ = socket.recv_fds(orders, MAX_PATH, 3)
    if not folder or len(fds) != 3:
        for fd in fds:
            os.close(fd)
        return None
    parent, pid = os.getppid(), -1
    if _threads() == 1:
        pid = _fork_sibling()
    if pid == 0:
        _settle(fds, os.fsdecode(folder), parent)
    else:
        orders.send(struct.pack("=i", pid))
    for fd in fds:
        os.close(fd)
    return pid == 0


def wait(connection, orders):
    """Waits for a request; copies this process whenever that is asked for.  True: this is a new copy, None: no more of
    them will be asked for."""
    while True:
        ready = select.select([connection, orders], [], [])[0]
        if connection in ready:
            return False
        copied = _take_order(orders)
        if copied is not False:
            return copied
