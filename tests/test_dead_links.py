"""Links to other sites: which are called dead, tried on a small book and a server of its own."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import dead_links
import pytest

ANSWERS = {"/here": 200, "/gone": 404, "/no-programs": 403, "/broken": 500}


class Handler(BaseHTTPRequestHandler):
    """Answers each path with its number."""

    def do_GET(self):  # the library's name
        self.send_response(ANSWERS[self.path])
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815  # the library's name

    def log_message(self, *_):
        pass


@pytest.fixture
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_is_not_found_is_dead_and_what_refuses_programs_is_not(tmp_path, address):
    links = "\n".join(f"[a link]({address}{path})\n" for path in ANSWERS)
    nowhere = "http://nowhere.invalid/"
    (tmp_path / "start.md").write_text(f"# A page\n\n{links}\n[a link]({nowhere})\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: start\n")
    (tmp_path / "_config.yml").write_text("title: A book\n")
    found = dead_links.dead(dead_links.tried(tmp_path, tmp_path))
    assert all(line.startswith("- `start.md`, line ") for line in found)
    places = {line.split(": ")[1].split(" ")[0].removeprefix(address) for line in found}
    assert places == {"/broken", "/gone", nowhere}
