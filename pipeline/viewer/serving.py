"""Serves a page and the corpus it plays, to this machine alone."""

import os
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.errors import ConfigError
from pipeline.viewer.places import way

HOST = "127.0.0.1"


class Handler(SimpleHTTPRequestHandler):
    """Files of the page and of the corpus, whole or a range of their bytes: browsers seek in sound by ranges."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, roots: tuple[Path, ...], **kwargs: Any) -> None:
        self.roots = roots
        self.left: int | None = None
        super().__init__(*args, **kwargs)

    def send_head(self) -> BinaryIO | None:
        """The file that is asked for, placed at its first byte; None where an answer without one was sent."""
        path = Path(self.translate_path(self.path))
        if not any(path.resolve().is_relative_to(root) for root in self.roots):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        span = self._range(path)
        if span is None:
            self.left = None
            return super().send_head()
        start, end = span
        file = path.open("rb")
        file.seek(start)
        self.left = end - start
        self.send_response(HTTPStatus.PARTIAL_CONTENT)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{path.stat().st_size}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        return file

    def end_headers(self) -> None:
        """Say that ranges can be asked for."""
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:  # type: ignore[override]
        """Send the file, or what is left of the range; a browser that hangs up in between is no fault."""
        try:
            if self.left is None:
                super().copyfile(source, outputfile)
            while self.left:
                piece = source.read(min(self.left, 1 << 16))
                outputfile.write(piece)
                self.left = self.left - len(piece) if piece else 0
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a page asks for many files."""

    def _range(self, path: Path) -> tuple[int, int] | None:
        """First byte asked for and one past the last; None where the whole file is."""
        unit, _, asked = self.headers.get("Range", "").partition("=")
        first, dash, last = asked.partition("-")
        if unit != "bytes" or not dash or not first.isdecimal() or not path.is_file():
            return None
        size = path.stat().st_size
        end = min(size, int(last) + 1) if last.isdecimal() else size
        return (int(first), end) if int(first) < end else None


def server(corpus: Path, out: Path, port: int) -> tuple[ThreadingHTTPServer, str]:
    """A server of the page in `out`, and its address; 0 for `port` takes any that is free.

    Raises
    ------
    ConfigError
        when the port is taken.

    """
    roots = (corpus.resolve(), out.resolve())
    top = Path(os.path.commonpath(roots))
    handler = partial(Handler, directory=str(top), roots=roots)
    try:
        found = ThreadingHTTPServer((HOST, port), handler)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"--port {port}: cannot be listened on ({error}); give another one, or 0 for any") from None
    place = way(top, roots[1])
    return found, f"http://{HOST}:{found.server_address[1]}/{'' if place == '.' else place + '/'}"
