"""The import wizard: upload, say what the file does not say, look at what would change, save. No JavaScript needed."""

from functools import wraps

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from catalog import import_words, imports, wording
from catalog.comparing import Plan
from catalog.import_forms import CloudForm, DeviceForm, QuoteForm, SupplierForm
from catalog.importers import MAX_BYTES, Refused
from catalog.importers.formats import FORMATS
from catalog.importers.table import BadCell
from catalog.models import ImportJob, Upload
from catalog.pages import PAGES, address_of

RECENT = 20
SHOWN_BAD, SHOWN_DOUBTS, SHOWN_CHANGES = 200, 20, 200


def steward(view):
    """Only for those who may import; who is not signed in, signs in."""

    @login_required
    @wraps(view)
    def guarded(request, *args, **kwargs):
        if not imports.may_import(request.user):
            raise PermissionDenied(_("You may read the catalog, but not import into it."))
        return view(request, *args, **kwargs)

    return guarded


def job_of(request, token):
    job = get_object_or_404(ImportJob.objects.select_related("by", "batch"), token=token)
    if not imports.visible(request.user, job):
        raise Http404
    return job


@never_cache
@require_http_methods(["GET", "POST"])
@steward
def start(request):
    """Choose files; and what was imported before."""
    context = {
        "pages": PAGES.values(),
        "at": "import",
        "formats": import_words.FORMATS.items(),
        "most": f"{MAX_BYTES:,}",
    }
    if request.method == "POST":
        try:
            job = imports.upload(_files(request), _format(request), request.user)
        except Refused as error:
            context["refused"] = [wording.say(bad) for bad in error.bad_cells]
        else:
            return redirect("catalog:import_job", job.token)
    jobs = ImportJob.objects.select_related("by", "batch").prefetch_related("files")
    context["jobs"] = [_brief(job) for job in jobs[:RECENT] if imports.visible(request.user, job)]
    return render(request, "catalog/import.html", context, status=400 if "refused" in context else 200)


def _files(request):
    """The uploaded files; raises Refused where there are none, or they are too large to be looked at."""
    given = request.FILES.getlist("files")
    size = getattr(request, "upload_bytes", None) or sum(file.size for file in given)
    name = given[0].name if given else _("upload")
    if size > MAX_BYTES:
        raise Refused([BadCell(name, 1, "", f"{size:,}", "too_large", high=MAX_BYTES)])
    if not given:
        raise Refused([BadCell(name, 1, "", "", "no_file")])
    return [(file.name, file.read()) for file in given]


def _format(request):
    wanted = request.POST.get("format", "")
    return wanted if wanted in FORMATS else ""


def _brief(job):
    names = [file.name for file in job.files.all()]
    plan = Plan.from_plain(job.preview) if job.preview else None
    return {
        "job": job,
        "files": _(", ").join(names[:3]) + (f" … ({len(names)})" if len(names) > 3 else ""),
        "state": state_word(job),
        "changes": f"{plan.changes:,}" if plan else None,
    }


def state_word(job):
    states = {
        "details": _("to be described"),
        "queued": _("waiting"),
        "running": _("being read") if job.step == "check" else _("being saved"),
        "ready": _("to be confirmed"),
        "done": _("saved") if job.batch_id else _("nothing to save"),
        "failed": _("failed"),
        "cancelled": _("cancelled"),
    }
    return states[job.state]


@never_cache
@require_safe
@steward
def page(request, token):
    """A job: what must be said of it, how far it is, what it would change, what it has changed."""
    return _show(request, job_of(request, token))


def _show(request, job, form=None, problem="", status=200):
    context = {
        "pages": PAGES.values(),
        "at": "import",
        "job": job,
        "files": job.files.defer("content"),
        "format": import_words.FORMATS[job.options["format"]],
        "problem": problem,
    }
    if job.state == "details":
        context |= _details(request, job, form)
    elif job.active:
        context |= _progress(job)
    else:
        context |= _shown(job)
        if job.state == "ready" and job.options["format"] == "netbox":
            context["devices"] = DeviceForm(initial={"kind": job.options.get("kind", "")})
    return render(request, "catalog/import_job.html", context, status=status)


def _details(request, job, form):
    if job.options["format"] == "skypilot":
        before = {
            "provider": job.options.get("provider", ""),
            "as_of": job.options.get("as_of") or timezone.localdate(),
        }
        return {"form": form or CloudForm(initial=before), "step": "cloud"}
    chosen = request.GET.get("supplier", "").replace("\0", "").strip()[:200]
    terms = job.options.get("terms") or {}
    chosen = chosen or terms.get("supplier", "")
    sample = {"header": job.sheet["header"], "sample": job.sheet["rows"]}
    if form is None and not chosen:
        return {"form": SupplierForm(), "step": "supplier", **sample}
    if form is None:
        mapping = imports.mapping_of(chosen, job.sheet)
        initial = {"quoted_on": timezone.localdate(), **(terms if terms.get("supplier") == chosen else {})}
        initial |= {"supplier": chosen, **{f"column_{name}": column for name, column in mapping.items()}}
        form = QuoteForm(initial=initial, header=job.sheet["header"])
    return {"form": form, "step": "quote", **sample}


def _progress(job):
    share = min(job.done / job.total, 1.0) if job.total else 0.0
    far = {"done": f"{job.done:,}", "total": f"{job.total:,}"}
    return {"percent": int(share * 100), "doing": state_word(job), **far}


def _shown(job):
    """Preview or result, or what has become of it."""
    context = {"failure": import_words.failure(job.failure)}
    if job.preview is None:
        return context
    plan = Plan.from_plain(job.preview)
    rows = ((_("Items"), plan.items), (_("Prices"), plan.quotes))
    context |= {
        "plan": plan,
        "counts": [(title, import_words.counted(counts)) for title, counts in rows],
        "headings": [str(word) for word in import_words.COUNTS.values()],
        "left_out": [(f"{count:,}", why) for count, why in import_words.left_out(plan)],
        "shown": {"rows": f"{plan.rows:,}", "changes": f"{plan.changes:,}", "bad": f"{plan.bad_count:,}"},
        "bad": [(cell, wording.reason(cell)) for cell in plan.bad[:SHOWN_BAD]],
        "more_bad": plan.bad_count - min(len(plan.bad), SHOWN_BAD),
        "doubts": _doubts(plan),
        "examples": [{**one, "changed": import_words.changed(one["changed"])} for one in plan.examples],
        "refused": plan.whole_file_refused,
    }
    if job.state == "done" and job.batch:
        changes = job.batch.changes.select_related("item", "quote")
        context["changes"] = [
            (one, import_words.field(one.field), address_of(one.item)) for one in changes[:SHOWN_CHANGES]
        ]
        context["more_changes"] = max(job.batch.changes.count() - SHOWN_CHANGES, 0)
    return context


def _doubts(plan):
    """By kind: (code, title, how many, the first ones as sentences, how many more)."""
    groups = []
    for code, count in plan.doubt_counts.items():
        said = [import_words.doubt(one) for one in plan.doubts if one.code == code][:SHOWN_DOUBTS]
        groups.append((code, import_words.title(code), count, said, count - len(said)))
    return groups


@require_POST
@steward
def details(request, token):
    """What a file does not say itself; then it is read."""
    job = job_of(request, token)
    device = job.options["format"] == "netbox"
    if job.state != ("ready" if device else "details"):
        return redirect("catalog:import_job", token)
    if device:
        form = DeviceForm(request.POST)
    elif job.options["format"] == "skypilot":
        form = CloudForm(request.POST)
    else:
        form = QuoteForm(request.POST, header=job.sheet["header"])
    if not form.is_valid():
        return _show(request, job, form, status=400)
    imports.begin(job, {**job.options, **form.options()})
    return redirect("catalog:import_job", token)


@never_cache
@require_GET
@steward
def progress(request, token):
    """The part of the page that moves; once the work has ended, the whole page is asked for again."""
    job = job_of(request, token)
    if not job.active:
        return HttpResponseClientRefresh()
    return render(request, "catalog/_import_progress.html", {"job": job, **_progress(job)})


@require_POST
@steward
def confirm(request, token):
    """Save what the page shows; a doubt that nobody has ticked stops it."""
    job = job_of(request, token)
    if job.state != "ready" or job.preview is None:
        return redirect("catalog:import_job", token)
    plan = Plan.from_plain(job.preview)
    if request.POST.get("digest", "") != plan.digest:
        return _show(request, job, problem=_("The preview has changed since you saw it. Look again."), status=409)
    if plan.whole_file_refused:
        return _show(request, job, problem=_("The file cannot be read as a whole; nothing was saved."), status=400)
    skip = request.POST.get("skip_bad") == "1"
    if plan.bad_count and not skip:
        problem = _("There are bad rows: mend them and upload again, or say that they are to be left out.")
        return _show(request, job, problem=problem, status=400)
    accepted = set(request.POST.getlist("accept"))
    if missing := [import_words.title(code) for code in plan.doubt_counts if code not in accepted]:
        problem = _("To be confirmed first: {titles}").format(titles=_(", ").join(missing))
        return _show(request, job, problem=problem, status=400)
    imports.confirm(job, skip)
    return redirect("catalog:import_job", token)


@require_POST
@steward
def cancel(request, token):
    imports.cancel(job_of(request, token))
    return redirect("catalog:import_job", token)


@never_cache
@require_safe
@login_required
def file(request, token):
    """A file as it came, to be saved, never shown: for whoever uploaded it and their colleagues."""
    found = get_object_or_404(Upload.objects.select_related("job__by"), token=token)
    if not imports.visible(request.user, found.job):
        raise Http404
    response = HttpResponse(bytes(found.content), content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, found.name)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
