"""The process in which files of others are read: it has little memory and time, no database and no secrets.

In: one marshalled tuple (mode, options, files). Out: marshalled portions, each behind its length. Only code of this
program writes them, which is why marshal, by far the fastest, is good enough.
"""

import contextlib
import gc
import marshal
import sys
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any, BinaryIO

from catalog.importers.harvest import Harvest
from catalog.importers.table import BadCell

MEMORY_BYTES = 700_000_000  # address space, of which a Python with its libraries takes a quarter
CPU_SECONDS = 300
OUT_OF_MEMORY = 3  # the code it ends with where there is not even enough to say so
PORTION = 4_000  # rows
ROWS_A_REPORT = 5_000


def main() -> None:
    _limit()
    gc.disable()  # a reader makes no cycles; looking for them takes a third of the time
    try:
        mode, options, files = marshal.load(sys.stdin.buffer)
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
    out = sys.stdout.buffer
    try:
        for portion in portions(mode, options, files):
            _send(out, portion)
    except MemoryError:
        bad = BadCell(files[0][0], 1, "", "", "too_much_memory", high=MEMORY_BYTES)
        del files, options
        _send(out, {"refused": [astuple(bad)]})
    except RecursionError as error:
        bad = BadCell(files[0][0], 1, "", "", "reader_died", detail=type(error).__name__)
        _send(out, {"refused": [astuple(bad)]})
    out.flush()


def portions(mode: str, options: dict[str, Any], files: list[tuple[str, bytes]]) -> Iterator[dict[str, Any]]:
    """What the parent gets. The last one says so; a file that cannot be read as a whole is `refused`."""
    from catalog.importers import formats

    if mode == "inspect":
        shown = formats.inspected(files, options.get("format", ""))
        yield shown | {"refused": [astuple(bad) for bad in shown.get("refused", ())], "end": True}
        return
    harvest, reported = Harvest(), 0
    for _ in formats.read(files, options, harvest):
        if harvest.size >= PORTION or harvest.rows - reported >= ROWS_A_REPORT:
            reported = harvest.rows
            yield harvest.portion()
    yield harvest.portion() | {"end": True}


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    for kind, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, CPU_SECONDS)):
        _soft, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or hard > most:
            with contextlib.suppress(ValueError, OSError):  # macOS has no limit on the address space
                resource.setrlimit(kind, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _send(out: BinaryIO, portion: dict[str, Any]) -> None:
    data = marshal.dumps(portion)
    out.write(len(data).to_bytes(8, "big"))
    out.write(data)
    out.flush()


if __name__ == "__main__":
    main()
