"""What is refused before or instead of a view: charsets nobody sends, too many fields, the wrong kind of request."""

import io
import logging
from http.cookies import SimpleCookie

import pytest
from django.conf import settings
from django.test import RequestFactory
from django.urls import reverse

from planner.project import logs
from planner.project.wsgi import application

FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
ODD = ["rot13", "undefined", "hex", "base64", "zlib", "punycode", "utf-16", "idna", "nonsense"]


def ask(method, address, content_type, body=b"", cookies=None):
    """(status, headers, text) of the whole program, as a server runs it: Django's test client makes requests itself."""
    path, _mark, query = address.partition("?")
    environ = RequestFactory()._base_environ(
        REQUEST_METHOD=method,
        PATH_INFO=path,
        QUERY_STRING=query,
        CONTENT_TYPE=content_type,
        CONTENT_LENGTH=str(len(body)),
        HTTP_COOKIE=(cookies or SimpleCookie()).output(header="", sep=";"),
        **{"wsgi.input": io.BytesIO(body)},
    )
    said = []
    text = b"".join(application(environ, lambda status, headers: said.extend((status, dict(headers)))))
    return int(said[0][:3]), said[1], text.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("charset", ODD)
def test_a_charset_that_no_browser_sends_is_refused_with_a_reason(signed, charset):
    for cookies in (None, signed.cookies):
        for address in ("/sign-in/", "/", "/reports/"):
            for method, kind in (("GET", FORM), ("POST", FORM), ("POST", PARTS)):
                typed = f"{kind}; charset={charset}"
                status, _headers, text = ask(method, f"{address}?next=/%80", typed, b"a=%80", cookies)
                assert status == 415
                assert "must name the charset UTF-8" in text


@pytest.mark.django_db
@pytest.mark.parametrize("charset", ODD)
def test_u101_below_a_share_link_the_refusal_is_as_closed_as_the_link(charset):
    for method in ("GET", "POST"):
        status, headers, _text = ask(method, "/r/token/?lang=%80", f"{FORM}; charset={charset}", b"a=1")
        assert (status, headers["Cache-Control"], headers["Referrer-Policy"]) == (415, "no-store", "no-referrer")


@pytest.mark.django_db
@pytest.mark.parametrize("parameter", ["x*=undefined''%41", "x*=nonsense''%41", "charset*=idna''%ff", "charset=\0"])
def test_a_content_type_that_django_cannot_parse_is_refused_as_well(parameter):
    assert ask("GET", "/sign-in/", f"{FORM}; {parameter}")[0] == 415


@pytest.mark.django_db
@pytest.mark.parametrize("charset", ["utf-8", "UTF8", '"utf-8"', "us-ascii"])
def test_a_form_in_utf_8_is_read_whether_or_not_it_says_so(settings, charset):
    settings.EMBEDDED = True
    field = '--x\r\nContent-Disposition: form-data; name="next"\r\n\r\n马\r\n--x--\r\n'.encode()
    for typed, body in ((FORM, b"next=%E9%A9%AC"), (PARTS, field)):
        for declared in (typed, f"{typed}; charset={charset}"):
            status, _headers, text = ask("POST", "/sign-in/code/", declared, body)
            assert status == 403
            assert 'value="马"' in text


@pytest.mark.django_db
def test_too_many_fields_are_refused_also_where_a_charset_is_declared():
    assert ask("GET", "/sign-in/?" + "a=1&" * 1001, f"{FORM}; charset=utf-8")[0] == 400


@pytest.mark.django_db
def test_too_many_fields_are_one_line_of_the_log(client):
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.WithoutTokens("{levelname} {name}: {message}", style="{"))
    for name in settings.LOGGING["handlers"]["stderr"]["filters"]:
        handler.addFilter({"brief": logs.Brief}[name]())
    logging.getLogger().addHandler(handler)
    try:
        answer = client.get("/sign-in/?" + "a=1&" * 1001)
    finally:
        logging.getLogger().removeHandler(handler)
    assert answer.status_code == 400
    assert len(written.getvalue().splitlines()) == 1
    assert "TooManyFieldsSent" in written.getvalue()


@pytest.mark.django_db
def test_an_address_that_takes_only_forms_says_so(signed, row):
    answer = signed.get(reverse("planner:delete", args=[row.pk]))
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert "This address cannot be opened like that" in answer.content.decode()


@pytest.mark.django_db
def test_u101_below_a_share_link_nothing_is_said_and_no_cookie_set(client):
    answer = client.put("/r/token/")
    assert (answer.status_code, answer.content, dict(answer.cookies)) == (405, b"", {})
