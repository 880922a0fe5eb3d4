"""Reads files in a child process (`catalog.importers.child`), killed when it takes too long or nobody waits."""

import contextlib
import marshal
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from catalog.importers.child import CPU_SECONDS, MEMORY_BYTES, OUT_OF_MEMORY
from catalog.importers.table import BadCell, Refused

ROOT = str(Path(__file__).resolve().parents[2])
COMMAND = f"import sys; sys.path.insert(0, {ROOT!r}); from catalog.importers.child import main; main()"
LOOK_SECONDS = 0.5  # between two looks at whether to go on
INSPECT_SECONDS, READ_SECONDS = 20, 600
File = tuple[str, bytes]


def inspect(files: list[File], format_: str = "") -> dict[str, Any]:
    """Format and, of a supplier's table, header and first rows; raises Refused."""
    for portion in _portions("inspect", {"format": format_}, files, INSPECT_SECONDS, lambda: None):
        if portion["refused"]:
            raise Refused([BadCell(*bad) for bad in portion["refused"]])
        return portion
    raise Refused([BadCell(files[0][0], 1, "", "", "reader_died", detail="—")])


def read(
    files: list[File], options: dict[str, Any], look: Callable[[], None] = lambda: None
) -> Generator[dict[str, Any], None, None]:
    """The portions of a harvest, the last with `end`; raises Refused where reading itself fails.

    look : called twice a second; what it raises ends the child.
    """
    yield from _portions("read", options, files, READ_SECONDS, look)


def _portions(
    mode: str, options: dict[str, Any], files: list[File], seconds: float, look: Callable[[], None]
) -> Generator[dict[str, Any], None, None]:
    name, until = files[0][0], time.monotonic() + seconds
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", "")},
    )
    try:
        assert child.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it ended before it had read all: said below
            marshal.dump((mode, options, files), child.stdin)
            child.stdin.close()
        ended = False
        while not ended:
            portion = _next(child, name, until, seconds, look)
            ended = bool(portion.get("end"))
            if not ended and "refused" in portion:
                raise Refused([BadCell(*bad) for bad in portion["refused"]])
            yield portion
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def _next(
    child: subprocess.Popen[bytes], name: str, until: float, seconds: float, look: Callable[[], None]
) -> dict[str, Any]:
    size = int.from_bytes(_bytes(child, 8, name, until, seconds, look), "big")
    return marshal.loads(_bytes(child, size, name, until, seconds, look))


def _bytes(
    child: subprocess.Popen[bytes], size: int, name: str, until: float, seconds: float, look: Callable[[], None]
) -> bytes:
    assert child.stdout is not None
    found, pipe = bytearray(), child.stdout.fileno()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(found) < size:
            if time.monotonic() > until:
                raise Refused([BadCell(name, 1, "", "", "too_much_time", high=seconds)])
            if not selector.select(LOOK_SECONDS):
                look()
                continue
            piece = os.read(pipe, min(size - len(found), 1_000_000))
            if not piece:
                raise Refused([_death(child, name)])
            found += piece
    return bytes(found)


def _death(child: subprocess.Popen[bytes], name: str) -> BadCell:
    """Why a child ended without a word. Killed: by the limit on its time, or by the system for its memory."""
    code = child.wait()
    if code in (-9, -24):  # SIGKILL, SIGXCPU
        return BadCell(name, 1, "", "", "too_much_time", high=CPU_SECONDS)
    if code == OUT_OF_MEMORY:
        return BadCell(name, 1, "", "", "too_much_memory", high=MEMORY_BYTES)
    return BadCell(name, 1, "", "", "reader_died", detail=str(code))
