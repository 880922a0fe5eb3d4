import contextlib
import hashlib
import io
import logging
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
import webbrowser

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from catalog import imports
from planner.project import env, local, translations
from planner.project.supervisor import Child, Supervisor
from planner.services import codes, runs
from planner.services.accounts import local_owner

DEFAULT_PORT = 8765
READY_WITHIN_SECONDS = 60

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Runs the program on and for this computer only: brings the data up to date, serves, opens a browser."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("--port", type=int, help=f"default: {DEFAULT_PORT}, or the next free one")
        parser.add_argument("--bind", default="127.0.0.1", metavar="ADDRESS", help="a loopback address")
        parser.add_argument("--no-browser", action="store_true", help="as does OUTLAY_NO_BROWSER=1")

    def handle(self, *, port, bind, no_browser, **options):
        if not local.is_loopback(bind):
            raise CommandError(
                f"--bind {bind} is refused: started this way, the program is for one person on this computer, "
                f"so only a loopback address such as 127.0.0.1 will do. To serve others, see compose.yaml."
            )
        try:
            prepare(self.stdout.write)
        except KeyboardInterrupt:
            sys.exit(130)
        listening = listen(bind, port)
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        ours = {"OUTLAY_EMBEDDED": "1", "OUTLAY_BOOTSTRAP": "0", "OUTLAY_DATA": str(settings.DATA_DIR)}
        web = Child(
            name="web",
            command=[sys.executable, "-m", "planner.project.web"],
            environment=ours | {"OUTLAY_SOCKET": str(listening.fileno())},
            descriptors=(listening.fileno(),),
        )
        worker = Child(name="worker", command=[sys.executable, "-m", "planner.project.worker"], environment=ours)
        supervisor = Supervisor([web, worker], settings.BASE_DIR, chore=look_after)
        supervisor.listen_for_signals()
        try:
            supervisor.start_all()
            wait_until_ready(supervisor, web, address)
            with local.announced(address):
                if not supervisor.stopping:
                    self.stdout.write("Stop with Ctrl-C.")
                    self.let_in(address, browser=not no_browser and not settings.NO_BROWSER)
                supervisor.run()
        finally:
            supervisor.stop()
            codes.file_for(address).unlink(missing_ok=True)

    def let_in(self, address, *, browser):
        file = codes.write_file(address)
        connection.close()
        self.stdout.write(f"Outlay is at {address}")
        self.stdout.write(f"To sign in, open {file}")
        self.stdout.write("It works once, within 10 minutes; python3 manage.py sign_in makes another.")
        self.stdout.flush()
        if browser:
            open_browser(file.as_uri())


def look_after():
    """What is due every second: runs that a dead worker held, pages that nobody signed in with in time."""
    try:
        runs.reap()
        imports.reap()
        codes.remove_expired_files()
    except Exception as error:  # such as a database that is locked: the next second tries again
        logger.warning("Runs were not looked after this time: %s", error)
        connection.close()


def prepare(say):
    """Bring folder, database, translations and data up to date; quick when there is nothing to do."""
    data = settings.DATA_DIR
    try:
        env.private_folder(data)
        for folder in (settings.BROKER_DIR, *env.broker_folders(settings.BROKER_DIR)):
            env.private_folder(folder)
        settings.STATIC_ROOT.mkdir(exist_ok=True)
    except OSError as error:
        raise CommandError(
            f"cannot use the data folder {data} ({error.strerror}); OUTLAY_DATA names another."
        ) from error
    with one_at_a_time(data / "start.lock"):
        translations.compile_all(data)
        executor = MigrationExecutor(connection)
        if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
            say(f"Preparing the database ({len(plan)} steps) …")
            call_command("migrate", interactive=False, verbosity=0)
        seed(data, say, created=any(step.initial and step.app_label == "planner" for step, _backwards in plan))
        local_owner()
    connection.close()


def seed(data, say, *, created):
    """Load the shipped catalog when its files change; make the first example once, with the database."""
    from planner.services import scenarios

    where = str(connection.settings_dict["NAME"]) + str(connection.settings_dict["HOST"])
    facts = hashlib.sha256(where.encode())
    for file in sorted((settings.BASE_DIR / "catalog").rglob("*")):
        if file.is_file() and file.suffix in (".csv", ".py", ".json"):
            facts.update(file.read_bytes())
    mark = data / f"seeded-{hashlib.sha256(where.encode()).hexdigest()[:12]}"
    if not created and mark.exists() and mark.read_text() == facts.hexdigest():
        return
    say("Loading the catalog …")
    call_command("load_catalog", verbosity=0, stdout=io.StringIO())
    if created or not mark.exists():
        scenarios.seed()
    mark.write_text(facts.hexdigest())


@contextlib.contextmanager
def one_at_a_time(file):
    """Hold a lock, so that two starts do not migrate the same database together."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(file, "w") as handle:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def listen(bind, port):
    """Open the socket here, so that no other program can take the port while the web process starts again."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    for candidate in [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + 100):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((bind, candidate))
            listening.listen(128)
            return listening
        except (OSError, OverflowError) as error:
            listening.close()
            if port is not None:
                reason = getattr(error, "strerror", None) or error
                raise CommandError(
                    f"port {port} cannot be used ({reason}); leave out --port to take a free one."
                ) from error
    raise CommandError(f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + 99} is free; --port names another.")


def wait_until_ready(supervisor, web, address):
    """Return once the server answers; give up if it dies first."""
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while not supervisor.stopping:
        if web.process.poll() is not None:
            raise CommandError(f"the web process ended at once ({web.process.returncode}); the reason is above.")
        with contextlib.suppress(TimeoutError, urllib.error.URLError, ConnectionError):
            direct.open(f"{address}healthz", timeout=0.5).close()
            return
        if time.monotonic() > deadline:
            raise CommandError(f"the web process did not answer within {READY_WITHIN_SECONDS} s.")
        time.sleep(0.05)


def open_browser(address):
    """Open a browser if there is one; never wait for it, never fail without it. Other users see the address."""
    graphical = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform in ("darwin", "win32")
    if not graphical and not os.environ.get("BROWSER"):
        return None  # a text browser would take over the terminal

    def attempt():
        with contextlib.suppress(Exception):
            webbrowser.open(address)

    opening = threading.Thread(target=attempt, daemon=True)
    opening.start()
    return opening
