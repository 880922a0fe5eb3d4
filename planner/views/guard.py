"""What stands before every view: a user, and an answer htmx understands when there is none."""

from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from planner import wording
from planner.services.scenarios import InputError


def signed_in(view):
    """Only for users who are signed in; a part of a page sends the whole page to the sign-in."""

    @vary_on_headers("HX-Request")
    @wraps(view)
    def guarded(request, *args, **kwargs):
        if request.user.is_authenticated:
            try:
                return view(request, *args, **kwargs)
            except ObjectDoesNotExist:  # deleted by somebody else while this was under way
                raise Http404 from None
            except InputError as error:  # a stored document or price book that this version cannot read
                return render(request, "planner/unreadable.html", {"problem": wording.say(error)}, status=500)
        if request.htmx:
            return HttpResponseClientRedirect(redirect_to_login(request.htmx.current_url_abs_path or "/").url)
        return redirect_to_login(request.get_full_path())

    return guarded
