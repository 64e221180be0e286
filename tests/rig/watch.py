# SPDX-License-Identifier: Apache-2.0
"""watch.py - waits until a file is there, or gone, by inotify."""
import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE = 0x40, 0x80, 0x100, 0x200


def wait_for(path, there=True):
    """Returns when the path is there; there=False: when it is gone.  Its folder stays."""
    events = _libc.inotify_init1(os.O_CLOEXEC)
    try:
        if _libc.inotify_add_watch(events, os.fsencode(path.parent),
                                   IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE) < 0:
            raise OSError(ctypes.get_errno(), "cannot watch", str(path.parent))
        while path.exists() != there:
            os.read(events, 4096)
    finally:
        os.close(events)
