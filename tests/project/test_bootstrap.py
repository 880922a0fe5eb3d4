"""First run: manage.py makes its own environment. Tried on a tiny project with tiny wheels: it takes seconds."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import venv
import zipfile
from pathlib import Path

import pytest

from planner.project import bootstrap

fcntl = pytest.importorskip("fcntl")
ROOT = Path(__file__).resolve().parents[2]
PYTHON = bootstrap.base_python()
PYPROJECT = """
[project]
dependencies = ["Django>=5", "tiny_base"]
[project.optional-dependencies]
test = ["tiny-test>=1"]
"""
# Stands in for Django: says where and with what the program goes on.
DJANGO = """
import json, sys
def execute_from_command_line(argv):
    print(json.dumps({"prefix": sys.prefix, "argv": argv[1:], "flags": sys.flags.dev_mode}))
"""


def wheel(folder, name, version, files):
    """Write a wheel by hand: no build tool, no network."""
    info = f"{name}-{version}.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"]))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    django = {"django/__init__.py": "", "django/core/__init__.py": "", "django/core/management/__init__.py": DJANGO}
    wheel(folder, "django", "5.2", django)
    wheel(folder, "tiny_base", "1.0", {"tiny_base.py": ""})
    wheel(folder, "tiny_test", "1.0", {"tiny_test.py": ""})
    return folder


class Project:
    def __init__(self, root, environment, wheels, home):
        self.root, self.wheels = root, wheels
        self.environment = environment | {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": wheels.as_uri(),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_RETRIES": "0",
            "XDG_CACHE_HOME": str(home),
        }
        (root / "planner" / "project").mkdir(parents=True)
        for name in ("manage.py", "planner/__init__.py", "planner/project/__init__.py", "planner/project/bootstrap.py"):
            shutil.copy(ROOT / name, root / name)
        (root / "pyproject.toml").write_text(PYPROJECT)
        (root / "constraints.txt").write_text("tiny-base==1.0\n")
        self.venv = root / ".venv"
        self.marks = self.venv / "outlay"

    def start(self, *command, python=PYTHON, **variables):
        return subprocess.Popen(
            [python, str(self.root / "manage.py"), *(command or ("start",))],
            env=self.environment | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(self, *command, **options):
        process = self.start(*command, **options)
        out, said = process.communicate(timeout=120)
        return process.returncode, json.loads(out) if out else None, said

    def runs_in(self, *command, **options):
        """Where the command went on, and what was said on the way."""
        code, told, said = self.run(*command, **options)
        assert code == 0, said
        return Path(told["prefix"]), said


@pytest.fixture
def project(tmp_path, environment, wheels):
    return Project(tmp_path / "空 格" / "outlay", environment, wheels, tmp_path / "home")


@pytest.fixture
def users_environment(tmp_path, wheels):
    """A virtual environment that somebody else made: give the wheels it has."""

    def make(*names):
        folder = tmp_path / "theirs"
        venv.EnvBuilder(symlinks=True).create(folder)
        for name in names:
            archive = zipfile.ZipFile(next(wheels.glob(f"{name}-*")))
            archive.extractall(bootstrap.packages_of(folder, bootstrap.version()))
        return folder, str(bootstrap.python_of(folder))

    return make


@pytest.fixture
def silent_server():
    """The address of a package index that accepts and then says nothing, and a way to make it hang up."""
    listening = socket.create_server(("127.0.0.1", 0))
    open_connections, asked = [], threading.Event()

    def accept():
        while True:
            try:
                open_connections.append(listening.accept()[0])
            except OSError:
                return
            asked.set()

    threading.Thread(target=accept, daemon=True).start()

    def hang_up():
        listening.close()
        for connection in open_connections:
            connection.close()

    yield f"http://127.0.0.1:{listening.getsockname()[1]}/", asked, hang_up
    hang_up()


def test_the_first_run_installs_and_the_second_does_nothing(project):
    misled = {"PIP_TARGET": "/nowhere", "PYTHONPATH": "/nowhere", "PIP_USER": "1", "PIP_NO_DEPS": "1"}
    where, said = project.runs_in(**misled)
    assert where == project.venv
    assert "setting up" in said
    assert project.runs_in(**misled) == (project.venv, "")
    assert not (project.marks / "tmp").exists()
    assert not (project.marks / "incomplete").exists()
    made = {path.name for path in project.root.iterdir()}
    assert made == {".venv", ".venv.lock", "manage.py", "pyproject.toml", "constraints.txt", "planner"}


def test_arguments_and_interpreter_options_are_handed_on(project):
    project.runs_in()
    command = [PYTHON, "-X", "dev", str(project.root / "manage.py"), "shell", "-c", "a b"]
    done = subprocess.run(command, env=project.environment, capture_output=True, text=True)
    told = json.loads(done.stdout)
    assert (told["argv"], told["flags"]) == (["shell", "-c", "a b"], True)


def test_tests_need_their_extra_and_it_is_added_to_the_same_environment(project):
    assert "setting up" in project.runs_in("start")[1]
    assert "up to date" in project.runs_in("test")[1]
    assert project.runs_in("test", "-x") == (project.venv, "")
    assert project.runs_in("start") == (project.venv, "")
    assert {path.name for path in project.marks.glob("*.json")} == {"base.json", "test.json"}
    # From inside the environment, too.
    inside = str(bootstrap.python_of(project.venv))
    assert project.runs_in("test", python=inside) == (project.venv, "")
    (project.root / "constraints.txt").write_text("tiny-base==1.0\ntiny-test==1.0\n")
    assert "up to date" in project.runs_in("test", python=inside)[1]


def test_another_extra_can_be_asked_for(project):
    code, _told, said = project.run(OUTLAY_EXTRAS="test,toast")
    assert (code, "OUTLAY_EXTRAS names toast; there are base, test." in said) == (1, True)
    project.runs_in(OUTLAY_EXTRAS="test")
    assert (project.marks / "test.json").exists()


def test_what_was_damaged_is_repaired(project):
    project.runs_in()
    packages = bootstrap.packages_of(project.venv, bootstrap.version())
    shutil.rmtree(packages / "tiny_base-1.0.dist-info")
    assert "up to date" in project.runs_in()[1]
    # The mark of an interrupted installation: pip would skip a package written by half, so all is made anew.
    (project.marks / "incomplete").touch()
    (packages / "half.py").touch()
    assert "setting up" in project.runs_in()[1]
    assert not (packages / "half.py").exists()
    # The interpreter it was made with has gone.
    bootstrap.python_of(project.venv).unlink()
    bootstrap.python_of(project.venv).symlink_to("/nowhere/python")
    assert "setting up" in project.runs_in()[1]


def test_a_moved_checkout_sets_itself_up_again(project):
    project.runs_in()
    moved = project.root.with_name("moved")
    project.root.rename(moved)
    project.root, project.venv = moved, moved / ".venv"
    where, said = project.runs_in()
    assert (where, "setting up" in said) == (moved / ".venv", True)


def test_an_environment_that_is_not_ours_is_left_alone(project, tmp_path):
    project.venv.mkdir()
    (project.venv / "theirs").touch()
    where, said = project.runs_in()
    assert where.parent == tmp_path / "home" / "outlay"
    assert "was not made by Outlay" in said
    assert [path.name for path in project.venv.iterdir()] == ["theirs"]
    code, _told, said = project.run(OUTLAY_VENV=str(project.venv))
    assert (code, "leaves alone" in said) == (1, True)


def test_a_complete_environment_of_the_user_is_used(project, users_environment):
    folder, python = users_environment("django", "tiny_base")
    assert project.runs_in(python=python) == (folder, "")
    assert not project.venv.exists()


def test_an_incomplete_environment_of_the_user_is_refused_with_the_remedy(project, users_environment):
    _folder, python = users_environment("django", "tiny_base")
    code, told, said = project.run("test", python=python)
    assert (code, told) == (1, None)
    assert "lacks tiny-test" in said
    assert f'"{python}" -m pip install -c "{project.root / "constraints.txt"}" "tiny-test>=1"' in said
    assert not project.venv.exists()


def test_an_active_environment_without_django_is_passed_over_aloud(project, users_environment):
    folder, python = users_environment()
    where, said = project.runs_in(python=python)
    assert where == project.venv
    assert f"not the active environment {folder}" in said


@pytest.mark.parametrize("variable", [{"OUTLAY_BOOTSTRAP": "0"}, {"RUN_MAIN": "true"}])
def test_it_can_be_switched_off(project, users_environment, variable):
    _folder, python = users_environment()
    code, _told, said = project.run(python=python, **variable)
    assert (code, "No module named 'django'" in said) == (1, True)
    assert not project.venv.exists()


def test_without_a_network_the_message_says_so_and_the_next_run_goes_on(project, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _told, said = project.run(PIP_FIND_LINKS=(tmp_path / "empty").as_uri())
    assert code == 1
    assert "network may be missing" in said
    assert not (project.marks / "incomplete").exists()
    assert project.runs_in()[0] == project.venv


def test_handing_over_for_ever_is_stopped(project):
    project.runs_in()
    code, _told, said = project.run(OUTLAY_BOOTSTRAP_EXECS="3")
    assert (code, "does not settle" in said) == (1, True)


def test_a_second_set_up_waits_for_the_first(project):
    with open(project.root / ".venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = project.start()
        assert "waiting" in process.stderr.readline()
    out, _said = process.communicate(timeout=120)
    assert json.loads(out)["prefix"] == str(project.venv)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_pip_as_well(project, silent_server, number, code):
    address, asked, _hang_up = silent_server
    process = project.start(PIP_FIND_LINKS=address)
    assert asked.wait(60)
    process.send_signal(number)
    _out, said = process.communicate(timeout=20)  # returns when the last holder of its output has gone
    assert process.returncode == code
    assert said.splitlines()[-1] == "outlay: set-up interrupted; the next start takes it up again."
    assert project.runs_in()[0] == project.venv


def test_an_orphaned_pip_still_holds_the_lock(project, silent_server):
    address, asked, hang_up = silent_server
    first = project.start(PIP_FIND_LINKS=address)
    assert asked.wait(60)
    first.kill()
    first.wait()
    second = project.start()
    assert "waiting" in second.stderr.readline()
    time.sleep(0.3)
    assert second.poll() is None
    hang_up()
    out, said = second.communicate(timeout=120)
    assert "setting up" in said
    assert json.loads(out)["prefix"] == str(project.venv)
    first.stdout.close()
    first.stderr.close()


def test_a_read_only_checkout_uses_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap.os, "access", lambda *_: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    assert bootstrap.place(bootstrap.Wanted([])).parent == tmp_path / "cache" / "outlay"


@pytest.mark.parametrize(
    ("requirement", "name"),
    [("Django>=5.2.19,<5.3", "django"), ("psycopg[binary]>=3", "psycopg"), ("ruamel.yaml_x", "ruamel-yaml-x")],
)
def test_names_are_compared_in_their_normal_form(requirement, name):
    assert bootstrap.name_of(requirement) == name


def test_every_requirement_has_its_pin():
    wanted = bootstrap.Wanted(["prod", "test", "dev"])
    pins = {bootstrap.name_of(line) for line in wanted.constraints.read_text().splitlines() if line[:1].isalnum()}
    assert wanted.lacking(pins) == []


def test_an_old_python_is_told_which_one_is_needed():
    """The first lines of manage.py must parse anywhere: nothing newer than Python 2 may stand in the file."""
    source = (ROOT / "manage.py").read_text()
    assert 'f"' not in source
    assert "Outlay needs Python 3.11" in source
    code = "import sys; sys.version_info = (3, 10, 1); exec(open(sys.argv[1]).read(), {'__name__': '__main__'})"
    done = subprocess.run([sys.executable, "-c", code, str(ROOT / "manage.py")], capture_output=True, text=True)
    assert (done.returncode, "is 3.10." in done.stderr) == (1, True)
