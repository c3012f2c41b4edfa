"""Nothing that only POSIX has is used without asking: found by reading the sources, as no Windows is at hand."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import docspec

OS = """
chflags chown chroot ctermid fchdir fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid
getpgrp getpriority getresgid getresuid getsid getuid initgroups killpg lchown lockf major makedev memfd_create minor
mkfifo mknod nice openpty pathconf pipe2 posix_fadvise posix_fallocate posix_spawn pread preadv pwrite pwritev readv
register_at_fork sched_getaffinity sched_setaffinity sched_yield sendfile setegid seteuid setgid setpgid setpriority
setsid setuid statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid writev
O_ASYNC O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC
"""
SIGNAL = """
SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 alarm pause pthread_kill
pthread_sigmask setitimer siginterrupt sigpending sigwait
"""
POSIX_ONLY = {"os": set(OS.split()), "signal": set(SIGNAL.split())}
MODULES = {"crypt", "fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}


def unguarded(source: str) -> list[str]:
    """What ``source`` takes for granted that only POSIX has, with its line.

    Guards are ``hasattr(os, "name")`` or ``os.name`` in the condition of an ``if`` around the use or of one before it
    in the same function, and a ``try`` that expects the fault.
    """
    tree = ast.parse(source)
    found: list[str] = []

    def visit(node: ast.AST, asked: str) -> None:
        name = ""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = node.attr if node.attr in POSIX_ONLY.get(node.value.id, ()) else ""
        elif isinstance(node, ast.Import):
            name = next((alias.name for alias in node.names if alias.name in MODULES), "")
        elif isinstance(node, ast.ImportFrom):
            within = POSIX_ONLY.get(node.module or "", set())
            name = (node.module or "") if node.module in MODULES else ""
            name = name or next((alias.name for alias in node.names if alias.name in within), "")
        if name and name not in asked and "os.name" not in asked and "ImportError" not in asked:
            found.append(f"line {getattr(node, 'lineno', 0)}: {name}")
        if isinstance(node, ast.If | ast.IfExp):
            asked += ast.unparse(node.test)
        if isinstance(node, ast.Try):
            asked += " ".join(ast.unparse(handler.type) for handler in node.handlers if handler.type)
        if isinstance(node, ast.FunctionDef):
            asked += " ".join(ast.unparse(step.test) for step in node.body if isinstance(step, ast.If))
        for child in ast.iter_child_nodes(node):
            visit(child, asked)

    visit(tree, "")
    return found


def test_no_module_takes_posix_for_granted() -> None:
    root = Path(docspec.__file__).parent
    found = {
        path.relative_to(root).as_posix(): names
        for path in sorted(root.rglob("*.py"))
        if (names := unguarded(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_what_is_taken_for_granted_is_seen() -> None:
    source = """
        import fcntl, os, signal
        from resource import getrusage
        os.fchmod(1, 2)
        signal.signal(signal.SIGPIPE, None)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        try:
            import pwd
        except ImportError:
            pwd = None
        def waits():
            if not hasattr(os, "wait4"):
                raise OSError
            os.wait4(1, 0)
    """
    assert unguarded(textwrap.dedent(source)) == [
        "line 2: fcntl",
        "line 3: resource",
        "line 4: fchmod",
        "line 5: SIGPIPE",
    ]


def test_sources_name_the_encoding_of_every_text_file() -> None:
    """Windows has another default."""
    root = Path(docspec.__file__).parent
    found = []
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            text = node.func.attr in ("read_text", "write_text") and "writer" not in ast.unparse(node.func)
            modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            opened = node.func.attr == "open" and modes and modes[0] in ("r", "w", "a", "rt", "wt", "x")
            if (text or opened) and not any(keyword.arg == "encoding" for keyword in node.keywords):
                found.append(f"{path.relative_to(root)}:{node.lineno} {ast.unparse(node)[:60]}")
    assert found == []
