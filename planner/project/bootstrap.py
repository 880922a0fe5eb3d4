"""Sets the project up before Django is imported: `python3 manage.py …` needs Python and pip, nothing else.

Standard library only. The packages go into `.venv` beside manage.py (or OUTLAY_VENV), where manage.py then runs again.
A folder `outlay` inside marks an environment as ours: it holds one stamp per extra, and a mark while pip is at work.
"""

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import deque
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: no lock
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = 1  # raise it when an environment made by an older version of this file must be made anew
EXECS = "OUTLAY_BOOTSTRAP_EXECS"
MISLEADING = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__")
NO_NETWORK = re.compile("conflicting dependencies|no matching distribution|find a version|connection|timed out", re.I)


class Stopped(BaseException):
    """A signal asked us to leave."""


def say(text):
    print(f"outlay: {text}", file=sys.stderr, flush=True)


def fail(text):
    say(text)
    raise SystemExit(1)


def ensure(argv):
    """Return if this interpreter can run the command; otherwise make one that can, and continue there."""
    if os.environ.get("OUTLAY_BOOTSTRAP") == "0" or os.environ.get("RUN_MAIN") == "true":
        return
    wanted = Wanted([*(["test"] if argv[1:2] == ["test"] else []), *os.environ.get("OUTLAY_EXTRAS", "").split(",")])
    prefix = Path(sys.prefix)
    foreign = sys.prefix != sys.base_prefix or (prefix / "conda-meta").is_dir()
    present = installed(sys.path)
    lacking = wanted.lacking(present)
    made_by_us = foreign and marks(prefix).is_dir()  # perhaps for another checkout: then it does not fit
    if made_by_us and (lacking or not fits(prefix, wanted)):
        execute(base_python())
    if not lacking:
        os.environ.pop(EXECS, None)
        return
    if foreign and "django" in present:
        constraints = f' -c "{ROOT / "constraints.txt"}"' if (ROOT / "constraints.txt").exists() else ""
        quoted = " ".join(f'"{requirement}"' for requirement in lacking)
        fail(
            f"the environment {prefix} lacks {', '.join(map(name_of, lacking))}. Either install what is missing:\n"
            f'  "{sys.executable}" -m pip install{constraints} {quoted}\n'
            f"or leave that environment, and Outlay makes one of its own."
        )
    venv = place(wanted)
    if foreign:
        say(f"using {venv}, not the active environment {prefix}.")
    if not fits(venv, wanted):
        with leaving_on_signals(), locked(venv) as lock:
            if not fits(venv, wanted):
                install(venv, wanted, lock)
    execute(python_of(venv))


class Wanted:
    """The requirements of the base and of some extras, and the key their stamps must carry."""

    def __init__(self, extras):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        known = {"base": project["dependencies"], **project["optional-dependencies"]}
        self.extras = ["base", *dict.fromkeys(extra.strip() for extra in extras if extra.strip())]
        if unknown := set(self.extras) - set(known):
            fail(f"OUTLAY_EXTRAS names {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}.")
        self.lists = {extra: known[extra] for extra in self.extras}
        self.requirements = list(dict.fromkeys(line for extra in self.extras for line in known[extra]))
        self.constraints = ROOT / "constraints.txt"

    def lacking(self, present):
        """Requirements that have no installed metadata; one with a marker may rightly be absent."""
        return [line for line in self.requirements if ";" not in line and name_of(line) not in present]

    def key(self, extra):
        text = self.constraints.read_text("utf-8") if self.constraints.exists() else ""
        machine = f"{sys.platform} {platform.machine()}"
        facts = [self.lists["base"], self.lists[extra], text, str(ROOT), machine, LAYOUT]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def name_of(requirement):
    return normal(re.match(r"[\w.-]+", requirement)[0])


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(folders):
    """Names with metadata in these folders: the folders' listings, without opening a file."""
    names = set()
    for folder in folders:
        with contextlib.suppress(OSError):
            entries = [entry for entry in os.listdir(folder or ".") if entry.endswith((".dist-info", ".egg-info"))]
            names.update(normal(entry.split("-")[0]) for entry in entries)
    return names


def version():
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def base_python():
    return getattr(sys, "_base_executable", None) or sys.executable


def python_of(venv):
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"


def packages_of(venv, python):
    return venv / "Lib" / "site-packages" if os.name == "nt" else venv / "lib" / f"python{python}" / "site-packages"


def marks(venv):
    return venv / "outlay"


def stamp(venv, extra):
    return marks(venv) / f"{extra}.json"


def ours(venv):
    """An environment we may change or delete: marked, or not begun yet. Any other is the user's."""
    return not venv.exists() or marks(venv).is_dir() or (venv.is_dir() and not any(venv.iterdir()))


def place(wanted):
    if chosen := os.environ.get("OUTLAY_VENV"):
        venv = Path(os.path.abspath(os.path.expanduser(chosen)))
        if not ours(venv):
            fail(f"OUTLAY_VENV names {venv}, which Outlay did not make and leaves alone. Name a folder not there yet.")
        return venv
    venv = ROOT / ".venv"
    if ours(venv):
        if fits(venv, wanted) or os.access(venv if venv.exists() else ROOT, os.W_OK):
            return venv
    else:
        say(f"{venv} was not made by Outlay and is left alone.")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "outlay" / f"venv-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]}"


def fits(venv, wanted):
    """Whether every stamp is current and what it speaks of is there."""
    if (marks(venv) / "incomplete").exists() or not python_of(venv).exists():
        return False
    try:
        stamps = [json.loads(stamp(venv, extra).read_text("utf-8")) for extra in wanted.extras]
    except (OSError, ValueError):
        return False
    python = stamps[0]["python"]
    if [(each["key"], each["python"]) for each in stamps] != [(wanted.key(extra), python) for extra in wanted.extras]:
        return False
    # A new system Python may have taken the place of the one that the environment was made with.
    if python != version() and os.path.realpath(python_of(venv)) == os.path.realpath(base_python()):
        return False
    return not wanted.lacking(installed([packages_of(venv, python)]))


def clean():
    """The environment without what would make another interpreter look in the wrong places."""
    return {key: value for key, value in os.environ.items() if key not in MISLEADING}


def execute(python):
    """Run this very command line again under another interpreter."""
    count = int(os.environ.get(EXECS, "0")) + 1
    if count > 3:
        fail(f"set-up does not settle: {sys.executable} and {python} keep handing over. Delete {ROOT / '.venv'}.")
    environment = clean() | {EXECS: str(count)}
    command = [str(python), *sys.orig_argv[1:]]
    sys.stdout.flush()
    if os.name == "nt":  # exec there returns to the shell at once
        raise SystemExit(subprocess.call(command, env=environment))
    os.execve(command[0], command, environment)


@contextlib.contextmanager
def leaving_on_signals():
    def leave(number, _frame):
        raise Stopped(number)

    caught = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, leave) for number in caught}
    try:
        yield
    except Stopped as stopped:
        say("set-up interrupted; the next start takes it up again.")
        raise SystemExit(128 + stopped.args[0]) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def locked(venv):
    """Hold the lock beside the environment; one set-up at a time."""
    try:
        venv.parent.mkdir(parents=True, exist_ok=True)
        handle = open(venv.with_name(venv.name + ".lock"), "a+")  # noqa: SIM115 (closed below)
    except OSError as error:
        fail(f"cannot write to {venv.parent} ({error.strerror}). Set OUTLAY_VENV to a folder where packages may go.")
    with handle:
        if fcntl:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another set-up is at work here; waiting for it.")
                fcntl.flock(handle, fcntl.LOCK_EX)
            except OSError:
                pass  # a network file system without locks: go on without
        yield handle


def pip_command(venv):
    """How to run pip for this environment, and whether pip must first be put there; asked before anything is made."""

    def answer(python, *arguments):
        done = subprocess.run([python, "-P", *arguments], env=clean(), capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else ""

    for python in dict.fromkeys((base_python(), sys.executable)):
        found = re.match(r"pip (\d+)\.(\d+)", answer(python, "-m", "pip", "--version"))
        if found and (int(found[1]), int(found[2])) >= (22, 3):  # --python is new in 22.3
            return [python, "-P", "-m", "pip", "--python", str(python_of(venv))], False
    if answer(base_python(), "-m", "ensurepip", "--version"):
        return [str(python_of(venv)), "-m", "pip"], True
    fail(
        f"{base_python()} has neither pip 22.3 or newer nor ensurepip, so packages cannot be installed.\n"
        f"On Debian and Ubuntu: apt install python3-pip python3-venv. On Fedora: dnf install python3-pip."
    )


def install(venv, wanted, lock):
    pip, needs_pip = pip_command(venv)
    incomplete, made_with = marks(venv) / "incomplete", None
    with contextlib.suppress(OSError, ValueError, KeyError):
        facts = json.loads(stamp(venv, "base").read_text("utf-8"))
        made_with = facts["python"] if facts["place"] == str(venv) else None
    try:
        if incomplete.exists() or made_with != version() or not python_of(venv).exists():
            marks(venv).mkdir(parents=True, exist_ok=True)
            for entry in [*marks(venv).iterdir(), *venv.iterdir()]:  # the mark stays: what is left is still ours
                if entry not in (marks(venv), incomplete):
                    shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            incomplete.touch()
            say(f"setting up in {venv}: this happens once and needs a network.")
            make(venv)
        else:
            say(f"bringing {venv} up to date.")
        packages = packages_of(venv, version())
        before = content(packages)
        incomplete.touch()
        requirements, temporary = marks(venv) / "requirements.txt", marks(venv) / "tmp"
        requirements.write_text("".join(f"{line}\n" for line in wanted.requirements), "utf-8")
        temporary.mkdir(exist_ok=True)
        command = [*pip, "install", "--no-compile", "--no-input", "--disable-pip-version-check"]
        command += ["-r", str(requirements)]
        if wanted.constraints.exists():
            command += ["-c", str(wanted.constraints)]
        try:
            code, output = 0, ""
            if needs_pip:
                code, output = run([str(python_of(venv)), "-m", "ensurepip", "--default-pip"], temporary, lock)
                before = content(packages)
            if code == 0:
                code, output = run(command, temporary, lock)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        fail(f"cannot set up {venv}: {error}")
    if code:
        if content(packages) == before:
            incomplete.unlink()
        if NO_NETWORK.search(output):
            output += "\nThe network may be missing: pip then says that it finds no version."
        fail(f"pip could not install the packages; its last words:\n{output}\nMend that and run the command again.")
    if lacking := wanted.lacking(installed([packages])):
        fail(f"pip reported success, yet {', '.join(map(name_of, lacking))} cannot be found in {packages}.")
    for extra in wanted.extras:
        facts = {"key": wanted.key(extra), "python": version(), "place": str(venv)}
        fresh = stamp(venv, extra).with_suffix(".new")
        fresh.write_text(json.dumps(facts), "utf-8")
        fresh.replace(stamp(venv, extra))
    incomplete.unlink()


def make(venv):
    """An environment without pip: bare Debian can make that one, too."""
    code = "import sys, venv; venv.EnvBuilder(symlinks=sys.argv[2] == '1').create(sys.argv[1])"
    command = [base_python(), "-I", "-c", code, str(venv), str(int(os.name != "nt"))]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail(f"{base_python()} cannot make {venv}:\n{done.stderr}\nOn Debian and Ubuntu: apt install python3-venv.")


def content(folder):
    """What pip could have changed, cheaply: every installed distribution and top-level package."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def run(command, temporary, lock):
    """Run pip in a session of its own, repeating what it collects; give its exit code and last words."""
    environment = {key: value for key, value in clean().items() if key not in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")}
    environment |= {"PIP_USER": "0", "PIP_DRY_RUN": "0", "PIP_NO_DEPS": "0", "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    last = deque(maxlen=15)
    # pip starts another pip and hands on its standard input: as that is the lock, even an orphan still holds it.
    with subprocess.Popen(
        command, env=environment, stdin=lock, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, encoding="utf-8", errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        try:
            for line in process.stdout:
                last.append(line.rstrip())
                if line.startswith(("Collecting", "Installing")):
                    say(f"  {re.split(' [(]from |: ', line)[0].rstrip()}")
            return process.wait(), "\n".join(last)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            raise
