"""A progress bar with an estimate of the time left."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator


class Progress:
    """Counts work in the seconds it should take, and scales them by the speed seen so far."""

    def __init__(self, total: float) -> None:
        self.left, self.done, self.start = total, 0.0, time.monotonic()
        self.live = sys.stderr.isatty()

    @contextlib.contextmanager
    def work(self, title: str, seconds: float) -> Iterator[Callable[[float], None]]:
        """Show a piece of work; what is given may be told which part of it has been done."""
        told, begin = 0.0, time.monotonic()

        def tell(part: float) -> None:
            nonlocal told
            told += part
            self.left -= seconds * part
            self.done += seconds * part
            if self.live:
                self.show(title)

        self.show(title)
        yield tell
        tell(1 - told)
        if (
            time.monotonic() - begin < 0.05 * seconds
        ):  # done by an earlier run: says nothing of speed
            self.done -= seconds
            self.start += time.monotonic() - begin

    def show(self, title: str) -> None:
        """Draw the bar."""
        part = self.done / (self.done + self.left)
        line = f"[{'#' * round(30 * part):.<30}] {100 * part:3.0f} %  "
        if self.done > 0:
            seconds = (time.monotonic() - self.start) / self.done * self.left
            line += f"{seconds / 60:.0f} min left  "
        sys.stderr.write(f"\r\x1b[K{line}{title}" if self.live else f"{line}{title}\n")
        sys.stderr.flush()
