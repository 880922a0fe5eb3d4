"""Who gets in, and how fast somebody may try: with a password on a server, with a code on one's own computer."""

import datetime as dt
import os
import re
from types import SimpleNamespace

import pytest
from django.conf import settings as program
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.utils import timezone

from planner.models import Attempts, Membership, SignInCode, User, Workspace
from planner.services import codes, throttle

RIGHT, WRONG = "right horse battery", "wrong horse battery"


@pytest.fixture
def ada(db):
    return User.objects.create_user("ada", password=RIGHT)


@pytest.fixture
def still(monkeypatch):
    """The clock of the throttle stands still: on a busy machine no wait passes by itself."""
    stopped = timezone.now()
    monkeypatch.setattr(throttle, "timezone", SimpleNamespace(now=lambda: stopped))


def try_password(client, password, username="ada", address="192.0.2.1"):
    return client.post("/sign-in/", {"username": username, "password": password}, REMOTE_ADDR=address)


def signed_in(client):
    return SESSION_KEY in client.session


# ── a password ──


def test_the_right_password_lets_in_and_leads_on(client, ada):
    answer = client.post("/sign-in/", {"username": "ada", "password": RIGHT, "next": "/reports/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/reports/")
    assert signed_in(client)


def test_after_five_wrong_passwords_not_even_the_right_one_is_looked_at(client, ada, still):
    assert [try_password(client, WRONG).status_code for _ in range(5)] == [200] * 5
    answer = try_password(client, RIGHT)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] in ("1", "2")
    assert re.search(r"Too many attempts\. Try again in [12] seconds?\.", answer.content.decode())
    assert not signed_in(client)


def test_the_wait_is_said_in_chinese(client, ada, still):
    client.cookies[program.LANGUAGE_COOKIE_NAME] = "zh-hans"
    for _ in range(5):
        try_password(client, WRONG)
    assert re.search(r"尝试次数过多。请在 [12] 秒后重试。", try_password(client, WRONG).content.decode())


def test_once_the_wait_is_over_the_right_password_lets_in(client, ada):
    for _ in range(6):
        try_password(client, WRONG)
    Attempts.objects.update(free_at=timezone.now())
    assert try_password(client, RIGHT).status_code == 302


def test_an_account_of_ones_own_buys_no_guess_at_another(client, ada, still):
    User.objects.create_user("eve", password=RIGHT)
    for _ in range(5):
        try_password(Client(), RIGHT, "eve")
        try_password(Client(), WRONG)
    assert try_password(Client(), WRONG).status_code == 429


def test_many_addresses_together_get_twenty_guesses_at_one_account(ada, still):
    codes = [try_password(Client(), WRONG, address=f"192.0.2.{n}").status_code for n in range(25)]
    assert codes == [200] * 20 + [429] * 5
    # however the name is written that the form reads as the same
    assert try_password(Client(), WRONG, " ada ", "192.0.2.99").status_code == 429
    assert try_password(Client(), WRONG, "ａｄａ", "192.0.2.98").status_code == 429


def test_u103_a_stranger_who_keeps_guessing_does_not_keep_the_owner_out(ada):
    for _ in range(40):
        try_password(Client(), WRONG, address="192.0.2.66")
    assert try_password(Client(), RIGHT, address="198.51.100.7").status_code == 302


def test_u103_many_strangers_do_not_slow_a_browser_that_has_signed_in_before(ada):
    own = Client()
    try_password(own, RIGHT)
    own.post("/sign-out/")
    for n in range(25):
        try_password(Client(), WRONG, address=f"192.0.2.{n}")
    assert try_password(Client(), RIGHT, address="192.0.2.200").status_code == 429
    assert try_password(own, RIGHT, address="192.0.2.201").status_code == 302


def test_u103_after_many_strangers_the_account_is_slowed_by_a_minute_at_most(ada):
    for n in range(30):
        try_password(Client(), WRONG, address=f"192.0.{n}.1")
        Attempts.objects.filter(scope="account").update(free_at=timezone.now())
    try_password(Client(), WRONG, address="198.51.100.1")
    assert 50 <= int(try_password(Client(), RIGHT, address="198.51.100.2").headers["Retry-After"]) <= 60


def test_a_browsers_mark_is_of_one_account_and_is_slowed_as_well(ada):
    User.objects.create_user("eve", password=RIGHT)
    browser = Client()
    try_password(browser, RIGHT, "eve")
    for _ in range(5):
        assert try_password(browser, WRONG, "eve").status_code == 200
    assert try_password(browser, WRONG, "eve").status_code == 429
    # For another account it is a browser like any other, and a made-up mark is none.
    forged = Client()
    forged.cookies[program.KNOWN_COOKIE_NAME] = browser.cookies[program.KNOWN_COOKIE_NAME].value + "x"
    for client in (browser, forged):
        Attempts.objects.all().delete()
        assert [try_password(client, WRONG).status_code for _ in range(6)] == [200] * 5 + [429]
        assert set(Attempts.objects.values_list("scope", flat=True)) == {"sign-in", "account"}


def test_the_administration_has_no_sign_in_of_its_own(client, ada):
    answer = client.post("/admin/login/?next=/admin/", {"username": "ada", "password": RIGHT})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/sign-in/?next=/admin/")
    assert not signed_in(client)
    client.force_login(ada)
    answer = client.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "may not use the administration" in answer.content.decode()


def test_a_form_of_another_site_is_refused(ada):
    assert Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "ada", "password": RIGHT}).status_code == 403


# ── the first account ──


@pytest.fixture
def root(db):
    return User.objects.create_superuser("root", password=RIGHT)


def test_the_first_account_of_a_server_can_work_at_once(client, root):
    try_password(client, RIGHT, "root")
    owned = Membership.objects.get()
    assert (owned.user, owned.role) == (root, Membership.Role.OWNER)
    assert client.post("/new/", {"template": "small-team"}).status_code == 302
    client.post("/sign-out/")
    try_password(client, RIGHT, "root")
    assert (Membership.objects.count(), Workspace.objects.count()) == (1, 1)


def test_a_further_superuser_gets_the_oldest_workspace_and_one_who_is_in_any_gets_none(client, root):
    lab, other = Workspace.objects.create(name="Lab"), Workspace.objects.create(name="Other")
    try_password(client, RIGHT, "root")
    assert [each.workspace for each in Membership.objects.all()] == [lab]
    second = User.objects.create_superuser("second", password=RIGHT)
    Membership.objects.create(user=second, workspace=other, role=Membership.Role.VIEWER)
    try_password(Client(), RIGHT, "second")
    assert [each.workspace for each in Membership.objects.filter(user=second)] == [other]


def test_whoever_is_in_no_workspace_is_told_so_and_whom_to_ask(client, ada):
    try_password(client, RIGHT)
    assert not Workspace.objects.exists()
    page = client.get("/").content.decode()
    assert "You are in no workspace yet" in page
    assert "Ask whoever runs this installation" in page
    assert ">Create<" not in page
    workspace = Workspace.objects.create(name="Lab")
    Membership.objects.create(user=ada, workspace=workspace, role=Membership.Role.EDITOR)
    page = client.get("/").content.decode()
    assert "You are in no workspace yet" not in page
    assert ">Create<" in page


# ── a code ──


@pytest.fixture
def embedded(settings, db, tmp_path):
    settings.EMBEDDED = True
    settings.DATA_DIR = tmp_path
    return Client(enforce_csrf_checks=True)  # a file on disk has no token of ours


def send(client, code, origin="null", **data):
    return client.post("/sign-in/code/", {"code": code, **data}, headers={"origin": origin})


def test_a_code_from_a_file_lets_the_owner_in_once(embedded):
    code = codes.create()
    answer = send(embedded, code)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert signed_in(embedded)
    other = Client()
    assert send(other, code).status_code == 403
    assert not signed_in(other)


def test_a_code_that_was_pasted_with_blanks_leads_on_to_the_page_that_was_wanted(embedded):
    assert send(embedded, f" {codes.create()}\n", next="/s/3/").headers["Location"] == "/s/3/"
    assert send(embedded, codes.create(), next="https://attacker.example/").headers["Location"] == "/"


def test_a_code_is_good_for_ten_minutes(embedded):
    code = codes.create()
    left = SignInCode.objects.get().expires_at - timezone.now()
    assert dt.timedelta(minutes=9, seconds=50) < left <= dt.timedelta(minutes=10)
    SignInCode.objects.update(expires_at=timezone.now())
    answer = send(embedded, code)
    assert answer.status_code == 403
    assert "older than 10 minutes" in answer.content.decode()
    assert not signed_in(embedded)


def test_the_database_holds_no_code_and_forgets_expired_ones(embedded):
    code = codes.create()
    assert code not in str(list(SignInCode.objects.values()))
    SignInCode.objects.update(expires_at=timezone.now())
    codes.create()
    assert SignInCode.objects.count() == 1


def test_guesses_at_a_code_are_slowed(embedded):
    assert [send(embedded, "0" * 32).status_code for _ in range(6)] == [403] * 5 + [429]
    answer = send(embedded, "0" * 32)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] in ("1", "2")


@pytest.mark.parametrize("origin", ["null", "http://testserver"])
def test_u103_a_right_code_is_let_in_however_many_wrong_ones_others_send(embedded, origin):
    for sender in ("null", "https://attacker.example", "http://testserver") * 5:
        send(Client(), "0" * 32, sender)
    assert send(Client(), "0" * 32, origin).status_code == 429
    assert send(embedded, codes.create(), origin).status_code == 303
    assert signed_in(embedded)
    # nor does that make room for further guesses
    assert send(Client(), "0" * 32, origin).status_code == 429


@pytest.mark.parametrize("code", ["", " ", "x" * 100_000, "\ud800", "\0"])
def test_what_cannot_be_a_code_is_refused(embedded, code):
    assert codes.spend(code) is None


def test_the_page_asks_for_a_code_and_no_password(embedded):
    page = embedded.get("/sign-in/?next=/s/3/").content.decode()
    assert 'name="code"' in page
    assert 'name="next" value="/s/3/"' in page
    assert "password" not in page
    assert embedded.post("/sign-in/", {"username": "owner", "password": "x"}).status_code in (403, 405)
    assert embedded.get("/sign-in/code/").headers["Location"] == "/sign-in/"


def test_on_a_server_there_are_no_codes(client, db):
    assert client.post("/sign-in/code/", {"code": codes.create()}).status_code == 404


def test_a_file_is_private_and_goes_with_its_code_and_only_its_own(embedded, tmp_path):
    one, other = codes.write_file("http://127.0.0.1:8765/"), codes.write_file("http://127.0.0.1:8766/")
    assert [file.stat().st_mode & 0o777 for file in (one, other)] == [0o600] * 2
    code = re.search(r'name="code" value="(\w{32})"', one.read_text("utf-8"))[1]
    assert send(embedded, code).status_code == 303
    assert list(tmp_path.iterdir()) == [other]


def test_a_file_that_nobody_used_in_time_goes(embedded, tmp_path):
    old, fresh = codes.write_file("http://127.0.0.1:8765/"), codes.write_file("http://127.0.0.1:8766/")
    then = timezone.now().timestamp() - 601
    os.utime(old, (then, then))
    codes.remove_expired_files()
    assert list(tmp_path.iterdir()) == [fresh]
