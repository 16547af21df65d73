"""A Sphinx extension that waits for KaTeX's server as long as a busy machine needs.

sphinxcontrib-katex takes the server for ready when its socket's file is there. A moment later the
server listens; in between, a connection is refused and the build fails. Here the connection is
tried until it holds.
"""

import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from sphinxcontrib import katex

PATIENCE = 60.0  # seconds


def start_server_process(
    server: type[katex.KaTeXServer], rundir: Path, timeout: float
) -> tuple[Popen[bytes], socket.socket]:
    """Start the server and return its process and a connection to it."""
    path = rundir / "katex.sock"
    process = Popen(server.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=rundir)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            if process.poll() is not None or time.monotonic() > deadline:
                connection.close()
                process.kill()  # else it outlives the build and holds its output open
                raise server.timeout_error(timeout) from None
            time.sleep(0.01)
        else:
            return process, connection


def setup(app: Any) -> dict[str, bool]:
    """Put the patient start in the place of the hasty one."""
    katex.KaTeXServer.start_server_process = classmethod(start_server_process)
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE
    return {"parallel_read_safe": True, "parallel_write_safe": True}
