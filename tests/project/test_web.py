"""Headers, files of libraries, who is here, the readers of the environment."""

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import MiddlewareNotUsed
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
def answer(settings):
    settings.EMBEDDED = True
    middleware = local.LocalOwner(lambda request: HttpResponse(str(getattr(request, "user", "nobody"))))
    return lambda **headers: middleware(RequestFactory().get("/", **headers)).content.decode()


@pytest.mark.django_db
def test_whoever_comes_from_this_computer_is_its_owner(answer):
    assert answer(REMOTE_ADDR="127.0.0.1") == answer(REMOTE_ADDR="::1") == "owner"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers", [{"REMOTE_ADDR": "10.0.0.7"}, {"REMOTE_ADDR": ""}, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}]
)
def test_whoever_comes_from_elsewhere_is_not(answer, headers):
    assert answer(**headers) == "nobody"


def test_nobody_is_the_owner_on_a_server():
    with pytest.raises(MiddlewareNotUsed):
        local.LocalOwner(None)


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
    assert env.secret_kept_in(file) == env.secret_kept_in(file)
    assert file.stat().st_mode & 0o77 == 0


def test_data_of_a_read_only_checkout_goes_to_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("OUTLAY_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(env.os, "access", lambda *_: False)
    assert env.data_folder("OUTLAY_DATA", tmp_path).parent == tmp_path / "home" / "outlay"
    monkeypatch.setattr(env.os, "access", lambda *_: True)
    assert env.data_folder("OUTLAY_DATA", tmp_path) == tmp_path / ".outlay"
