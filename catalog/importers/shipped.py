"""The catalog that comes with the program."""

from functools import cache
from pathlib import Path

from catalog.importers.files import FORMS, read
from catalog.records import Catalog

DATA = Path(__file__).resolve().parents[1] / "data"


@cache
def shipped() -> Catalog:
    """The shipped facts, read once a process. Shared: do not change it."""
    return read({name: (DATA / name).read_bytes() for name in FORMS})
