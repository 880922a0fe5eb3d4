"""Serves library JavaScript straight out of its installed Python package: nothing of others is copied in here."""

from importlib.util import find_spec
from pathlib import Path

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

FILES = {"vendor/plotly.min.js": ("plotly", "package_data/plotly.min.js")}


def _location(url):
    package, inside = FILES[url]
    spec = find_spec(package)  # finds the folder without importing the package
    return Path(spec.submodule_search_locations[0]) / inside if spec else None


class InstalledPackagesFinder(BaseFinder):
    def check(self, **kwargs):
        return []

    def find(self, path, find_all=False):
        place = _location(path) if path in FILES else None
        if place is None or not place.is_file():
            return [] if find_all else None
        return [str(place)] if find_all else str(place)

    def list(self, ignore_patterns):
        for url, (_package, inside) in FILES.items():
            place = _location(url)
            if place and place.is_file():
                storage = FileSystemStorage(location=place.parent)
                storage.prefix = str(Path(url).parent)
                yield Path(inside).name, storage
