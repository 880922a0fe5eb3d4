"""Requests that are refused before or instead of a view, and what their sender then reads."""

import codecs
from email.message import Message

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.http import parse_header_parameters
from django.utils.translation import gettext as _

#: As Python calls them. Others decode to something else than text, or raise.
CHARSETS = ("utf-8", "ascii")
UNREADABLE = "application/octet-stream; charset=unreadable"


def with_readable_type(application):
    """A WSGI application that meets no charset in a Content-Type.

    Django decodes the address by it while it makes the request, before any middleware could catch what that raises.
    UTF-8 is what it takes without; for any other, `ReadableType` then refuses the request.
    """

    def guarded(environ, start_response):
        if given := environ.get("CONTENT_TYPE"):
            environ["CONTENT_TYPE"] = _without_charset(given)
        return application(environ, start_response)

    return guarded


def _without_charset(given):
    try:
        charset = parse_header_parameters(given)[1].get("charset")
        if charset is None:
            return given
        if codecs.lookup(charset).name not in CHARSETS:
            return UNREADABLE
    except (ValueError, LookupError):
        return UNREADABLE
    header = Message()
    header["Content-Type"] = given
    header.del_param("charset")
    return header["Content-Type"]


class ReadableType:
    """Refuses what `with_readable_type` has marked."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        if request.META.get("CONTENT_TYPE") != UNREADABLE:
            return self.get_response(request)
        text = _("The Content-Type of a request must name the charset UTF-8, or none.")
        return HttpResponse(text, status=415, content_type="text/plain; charset=utf-8")


class NotAllowedSaid:
    """Says on a page that an address takes no request of this kind. Below /r/ nothing is told, nor a cookie set."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if response.status_code != 405 or response.content or request.path_info.startswith("/r/"):
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers["Allow"]
        return page
