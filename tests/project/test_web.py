"""Headers, files of libraries, who is here, the readers of the environment."""

import stat
import subprocess
import sys
from http.cookies import SimpleCookie

import pytest
from django.conf import settings as program
from django.contrib.staticfiles import finders
from django.core.exceptions import MiddlewareNotUsed, PermissionDenied
from django.http import HttpResponse
from django.test import RequestFactory

from planner.models import Membership, User, Workspace
from planner.project import env, local
from planner.project.vendor import FILES, InstalledPackagesFinder
from planner.services.accounts import local_owner


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/admin/login/", "/no-such-page"])
def test_every_answer_forbids_scripts_of_others(client, path):
    policy = client.get(path).headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self';" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("url", FILES)
def test_library_files_come_out_of_their_packages(url):
    found = finders.find(url)
    assert found
    assert [f"{storage.prefix}/{path}" for path, storage in InstalledPackagesFinder().list([])] == list(FILES)


def test_the_finder_knows_only_its_own_files():
    assert InstalledPackagesFinder().find("vendor/other.js") is None
    assert InstalledPackagesFinder().find("vendor/other.js", find_all=True) == []


@pytest.fixture
def embedded(settings):
    settings.EMBEDDED = True
    middleware = local.LocalOnly(lambda request: HttpResponse("welcome"))
    return lambda **headers: middleware(RequestFactory().get("/", **headers)).content.decode()


def test_whoever_comes_from_this_computer_is_let_through(embedded):
    assert embedded(REMOTE_ADDR="127.0.0.1") == embedded(REMOTE_ADDR="::1") == "welcome"


@pytest.mark.parametrize(
    "headers",
    [
        {"REMOTE_ADDR": "10.0.0.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_X_FORWARDED_PROTO": "https"},
    ],
)
def test_whoever_comes_from_elsewhere_is_refused_with_the_reason(embedded, headers):
    with pytest.raises(PermissionDenied, match="for one person on this computer"):
        embedded(**headers)


def test_a_server_answers_others():
    with pytest.raises(MiddlewareNotUsed):
        local.LocalOnly(None)


@pytest.mark.django_db
def test_a_session_lasts_from_the_last_day_it_was_used(client):
    client.force_login(local_owner())
    name = program.SESSION_COOKIE_NAME
    assert client.get("/admin/").cookies[name]["max-age"] == program.SESSION_COOKIE_AGE
    client.cookies = SimpleCookie({name: client.cookies[name].value})
    client.get("/admin/")
    assert not client.cookies[name]["max-age"]  # it was not sent again: once a day will do
    session = client.session
    session["used_on"] = "2026-01-01"
    session.save()
    assert client.get("/admin/").cookies[name]["max-age"] == program.SESSION_COOKIE_AGE


def test_every_cookie_of_ours_is_named_after_the_instance():
    names = [program.SESSION_COOKIE_NAME, program.CSRF_COOKIE_NAME, program.LANGUAGE_COOKIE_NAME]
    assert len({*names}) == 3
    assert {name.rpartition("_")[2] for name in names} == {env.fingerprint(program.SECRET_KEY)}
    assert env.fingerprint("one") != env.fingerprint("other")


@pytest.mark.django_db
def test_the_local_owner_is_made_once_with_a_workspace_and_without_a_password():
    assert local_owner() == local_owner()
    owner = User.objects.get()
    assert not owner.has_usable_password()
    assert Membership.objects.get().role == Membership.Role.OWNER
    assert Workspace.objects.get().members.get() == owner


@pytest.mark.parametrize(("value", "means"), [("1", True), ("Yes", True), ("0", False), ("", True)])
def test_a_boolean_is_read(monkeypatch, value, means):
    monkeypatch.setenv("FLAG", value)
    assert env.boolean("FLAG", True) is means


def test_a_value_that_is_no_boolean_is_refused(monkeypatch):
    monkeypatch.setenv("FLAG", "perhaps")
    with pytest.raises(SystemExit, match="FLAG must be 1 or 0; got 'perhaps'"):
        env.boolean("FLAG", False)


def test_words_are_separated_by_commas(monkeypatch):
    monkeypatch.setenv("HOSTS", " a.example , b.example,")
    assert env.words("HOSTS", []) == ["a.example", "b.example"]


def test_a_database_address_is_read(monkeypatch, tmp_path):
    monkeypatch.setenv("DB", "postgresql://me:p%40ss@db.example:5433/outlay?sslmode=require")
    entry = env.database("DB", tmp_path / "x")
    wanted = {"NAME": "outlay", "USER": "me", "PASSWORD": "p@ss", "HOST": "db.example", "PORT": "5433"}
    assert {key: entry[key] for key in wanted} == wanted
    assert entry["OPTIONS"] == {"sslmode": "require"}


def test_a_socket_folder_is_a_host(monkeypatch, tmp_path):
    monkeypatch.setenv("DB", "postgresql://postgres:@/postgres?host=/run/pg")
    assert env.database("DB", tmp_path / "x")["HOST"] == "/run/pg"


def test_another_database_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("DB", "mysql://x")
    with pytest.raises(SystemExit, match="postgresql://"):
        env.database("DB", tmp_path / "x")


def test_the_secret_key_is_kept_and_private(tmp_path):
    file = tmp_path / "data" / "key"
    key = env.secret_kept_in(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)  # as out of a careless backup
    assert env.secret_kept_in(file) == key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


KEY = """
import pathlib, sys
from planner.project import env
input()
print(env.secret_kept_in(pathlib.Path(sys.argv[1])))
"""


def test_processes_that_begin_together_agree_on_one_secret_key(tmp_path):
    command = [sys.executable, "-c", KEY, str(tmp_path / "data" / "key")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": program.BASE_DIR}
    processes = [subprocess.Popen(command, **pipes) for _ in range(4)]
    keys = set()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        keys.add(process.communicate(timeout=30)[0].strip())
    assert len(keys) == 1
    assert len(keys.pop()) == 67  # 50 bytes, base64


@pytest.fixture
def server(environment, tmp_path):
    """Run a command under the settings for a server: server(arguments, VARIABLE=…) → (exit code, what it said)."""

    def run(arguments, **variables):
        settings = {
            "OUTLAY_PRODUCTION": "1",
            "OUTLAY_BOOTSTRAP": "0",
            "OUTLAY_DATA": str(tmp_path),
            "OUTLAY_HOSTS": "outlay.example.org",
            "OUTLAY_ORIGINS": "https://outlay.example.org",
            "OUTLAY_PUBLIC_ADDRESS": "https://outlay.example.org",
            "OUTLAY_BROKER": "redis://broker:6379/0",
            "DJANGO_SETTINGS_MODULE": "planner.project.settings",
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            env=environment | settings | variables,
            cwd=program.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout + done.stderr

    return run


CHECK = ["manage.py", "check", "--deploy", "--fail-level", "WARNING"]


def test_djangos_own_check_finds_nothing_on_a_server(server):
    code, said = server(CHECK)
    assert code == 0, said
    assert "no issues" in said


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"OUTLAY_HOSTS": "outlay.example.org, *"}, "OUTLAY_HOSTS must list the names"),
        ({"OUTLAY_SECRET_KEY": "correct horse battery staple"}, "must have at least 50 characters"),
        ({"OUTLAY_SECRET_KEY": "ab" * 40}, "10 of them different; got 80 with 2 different"),
        ({"OUTLAY_DEBUG": "1"}, "debug pages show settings"),
    ],
)
def test_a_server_refuses_what_would_open_it(server, variables, reason):
    code, said = server(CHECK, **variables)
    assert code == 1
    assert reason in said


ASK = """
import django; django.setup()
from django.test import Client
for path, secure in (("/healthz", False), ("/i18n/setlang/", False), ("/i18n/setlang/", True)):
    client = Client(headers={"host": "outlay.example.org"})
    answer = client.post(path, {"language": "en", "next": "/"}, secure=secure)
    cookies = [bool(cookie["secure"]) for cookie in answer.cookies.values()]
    print(answer.status_code, answer.headers.get("Location"), answer.headers.get("Strict-Transport-Security"), cookies)
"""


def test_a_server_sends_everybody_to_tls_but_who_asks_whether_it_lives(server, tmp_path):
    (tmp_path / "static").mkdir()
    assert server(["-c", ASK])[1].splitlines() == [
        "200 None None []",
        "301 https://outlay.example.org/i18n/setlang/ None []",
        "302 / max-age=31536000 [True]",
    ]


def test_data_of_a_read_only_checkout_goes_to_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("OUTLAY_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(env.os, "access", lambda *_: False)
    assert env.data_folder("OUTLAY_DATA", tmp_path).parent == tmp_path / "home" / "outlay"
    monkeypatch.setattr(env.os, "access", lambda *_: True)
    assert env.data_folder("OUTLAY_DATA", tmp_path) == tmp_path / ".outlay"
