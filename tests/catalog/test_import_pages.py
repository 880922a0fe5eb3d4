"""The wizard: upload, details, preview, confirmation, result; who may, and what no address tells."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog import imports, tasks
from catalog.comparing import Plan
from catalog.importers.sheet import MAX_BYTES
from catalog.models import Change, ImportBatch, ImportJob, Item, Quote, SupplierMapping
from planner.models import Membership, User, Workspace
from tests.catalog import import_files as files

pytestmark = pytest.mark.django_db

START = "/catalog/import/"
FX = "base,quote,rate,date,source\n"
GOOD = FX + "USD,EUR,0.9,2026-01,y\n"


def upload(client, *given, **more):
    """Post files, given as name and content by turns."""
    pairs = zip(given[::2], given[1::2], strict=True)
    sent = [SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode()) for name, text in pairs]
    return client.post(START, {"files": sent, **more})


def job_of(response):
    assert response.status_code == 302, response.content.decode()
    return ImportJob.objects.get(token=response.url.rstrip("/").rpartition("/")[2])


def at(job, name="import_job"):
    return reverse(f"catalog:{name}", args=[job.token])


def confirm(client, job, **more):
    job.refresh_from_db()
    return client.post(at(job, "import_confirm"), {"digest": job.preview["digest"], **more})


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


@pytest.fixture
def cloud(steward):
    """An import of cloud prices that waits for its confirmation."""
    job = job_of(upload(steward, "vms.csv", files.SKYPILOT))
    assert steward.post(at(job, "import_details"), {"provider": "lambda", "as_of": "2026-05-20"}).status_code == 302
    job.refresh_from_db()
    return job


def test_a_file_of_ours_is_shown_at_once_and_saved_once_confirmed(steward):
    job = job_of(upload(steward, "rates.csv", GOOD))
    page = steward.get(at(job))
    assert (job.state, Item.objects.count()) == ("ready", 0)
    assert "Save 2 changes" in text(page)
    assert confirm(steward, job).status_code == 302
    job.refresh_from_db()
    assert (job.state, Item.objects.get().slug, job.batch) == ("done", "usd-eur", ImportBatch.objects.get())
    assert "What it changed" in text(steward.get(at(job)))
    assert ImportBatch.objects.get().by.username == "steward"


def test_the_same_file_again_has_nothing_to_save(steward):
    confirm(steward, job_of(upload(steward, "rates.csv", GOOD)))
    again = job_of(upload(steward, "rates.csv", GOOD))
    page = text(steward.get(at(again)))
    assert "the catalog has all of it already" in page
    assert "Save" not in page
    confirm(steward, again)
    assert ImportBatch.objects.count() == 1


def test_u134_a_changed_price_is_listed_with_old_and_new_here_and_at_its_item(steward):
    confirm(steward, job_of(upload(steward, "rates.csv", GOOD)))
    job = job_of(upload(steward, "rates.csv", GOOD.replace("0.9", "0.95")))
    confirm(steward, job)
    assert "USD/EUR price Unit price 0.9 0.95" in text(steward.get(at(job)))
    page = text(steward.get("/catalog/rates/usd-eur/"))
    assert "Changed by imports" in page
    assert "steward Unit price price 0.9 0.95" in page


def test_cloud_prices_ask_whose_they_are_and_of_which_day(steward):
    job = job_of(upload(steward, "vms.csv", files.SKYPILOT))
    assert job.state == "details"
    page = steward.post(at(job, "import_details"), {"provider": "Lambda Labs", "as_of": "2999-01-01"})
    assert page.status_code == 400
    assert "Write small letters" in text(page)
    assert "That day has not come yet." in text(page)
    job.refresh_from_db()
    assert job.state == "details"


def test_doubts_must_be_ticked(steward, cloud):
    assert cloud.preview["doubt_counts"] == {"unknown_accelerator": 2}  # nothing is in the catalog yet
    page = confirm(steward, cloud)
    assert page.status_code == 400
    assert "To be confirmed first: Accelerators that are not in the catalog" in text(page)
    assert Item.objects.count() == 0
    assert confirm(steward, cloud, accept="unknown_accelerator").status_code == 302
    assert Item.objects.count() == Quote.objects.count() == 5


def test_u126_bad_rows_are_listed_and_nothing_is_saved_until_they_are_skipped(steward):
    job = job_of(upload(steward, "rates.csv", GOOD + "USD,CNY,x,2026-01,y\n"))
    page = text(steward.get(at(job)))
    assert "rates.csv 3 rate x must be a plain number USD, without thousands separators" in page
    assert confirm(steward, job).status_code == 400
    assert Item.objects.count() == 0
    confirm(steward, job, skip_bad="1")
    assert Item.objects.get().slug == "usd-eur"
    assert "Saved without 1 bad row." in text(steward.get(at(job)))


def test_a_file_refused_as_a_whole_cannot_be_skipped_into_the_catalog(steward):
    job = job_of(upload(steward, "rates.csv", FX.replace("date", "when") + "USD,EUR,0.9,2026-01,y\n", format="own"))
    assert "mend it and upload it again" in text(steward.get(at(job)))
    assert confirm(steward, job, skip_bad="1").status_code == 400
    assert Item.objects.count() == 0


def test_a_preview_of_another_moment_is_not_confirmed(steward):
    job = job_of(upload(steward, "rates.csv", GOOD))
    page = steward.post(at(job, "import_confirm"), {"digest": "of yesterday"})
    assert page.status_code == 409
    assert Item.objects.count() == 0


def test_a_catalog_that_changed_since_the_preview_is_previewed_anew(steward):
    job = job_of(upload(steward, "rates.csv", GOOD))
    Item.objects.create(kind="fx", slug="usd-eur", name="USD/EUR", spec={"base": "USD", "quote": "EUR"})
    confirm(steward, job)
    job.refresh_from_db()
    assert (job.state, Quote.objects.count()) == ("ready", 0)
    assert Plan.from_plain(job.preview).items["create"] == 0
    assert "The catalog has changed since the preview." in text(steward.get(at(job)))
    confirm(steward, job)
    assert Quote.objects.count() == 1


def test_a_quote_is_mapped_and_its_columns_are_remembered_for_the_supplier(steward):
    job = job_of(upload(steward, "quote.csv", files.QUOTE))
    assert "Whose quote is it?" in text(steward.get(at(job)))
    terms = {"supplier": "Acme", "number": "117", "quoted_on": "2026-11-01", "valid_until": "2026-12-01"}
    columns = {f"column_{name}": column for name, column in files.MAPPING.items()}
    assert steward.post(at(job, "import_details"), terms | columns).status_code == 302
    confirm(steward, job, accept="parts_unknown")
    quotes = Quote.objects.filter(supplier="Acme", number="117", valid_until="2026-12-01")
    assert {quote.item.spec["part_number"] for quote in quotes} == {"90.750", "00367901234567890323"}
    assert SupplierMapping.objects.get().mapping == files.MAPPING
    kept = reverse("catalog:import_file", args=[job.files.get().token])
    assert kept in steward.get(f"/catalog/prices/{quotes[0].item.slug}/").content.decode()
    next_one = job_of(upload(steward, "next.csv", files.QUOTE.replace("20,00", "21,00")))
    page = steward.get(f"{at(next_one)}?supplier=Acme").content.decode()
    assert '<option value="MOQ" selected>MOQ</option>' in page


def test_a_quote_needs_a_currency_a_price_and_a_name(steward):
    job = job_of(upload(steward, "quote.csv", files.QUOTE))
    terms = {"supplier": "Acme", "quoted_on": "2026-11-01", "valid_until": "2026-10-01"}
    page = text(steward.post(at(job, "import_details"), terms))
    assert "A price needs a currency: here, or as a column." in page
    assert "A line needs a part number, a description or an item of the catalog." in page
    assert "The quote would end before it begins." in page
    assert ImportJob.objects.get().state == "details"


def test_device_types_many_at_once_and_the_nonsense_is_flagged(steward, facts):
    job = job_of(upload(steward, "DGC-A100.yaml", files.DGX_A100, "AR3300.yaml", files.RACK, "AP8868.yaml", files.PDU))
    page = text(steward.get(at(job)))
    assert "2,142 W is less than its 8 accelerators alone take, 2,560 W or more" in page
    confirm(steward, job, accept="less_than_its_cards")
    assert Item.objects.filter(slug__in=["nvidia-dgx-a100-640gb", "test-ar3300", "test-ap8868"]).count() == 3


def test_devices_are_checked_again_as_what_somebody_knows_they_are(steward):
    job = job_of(upload(steward, "AP8868.yaml", files.PDU))
    steward.post(at(job, "import_details"), {"kind": "ups"})
    confirm(steward, job)
    assert Item.objects.get().kind == "ups"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "a;b\n".encode("utf-16"), "a.csv: line 1: the file is UTF-16 or UTF-32; save it as UTF-8"),
        ("a.xlsx", b"PK\x03\x04nothing", "a.xlsx: line 1: the workbook cannot be read"),
        ("a.csv", b"", "a.csv: line 1: the file has no header line"),
    ],
)
def test_a_file_that_is_none_is_named_and_leaves_no_job(steward, name, content, said):
    response = upload(steward, name, content)
    assert response.status_code == 400
    assert said in text(response)
    assert ImportJob.objects.count() == 0


def test_an_upload_without_a_file_says_so(steward):
    response = steward.post(START, {})
    assert response.status_code == 400
    assert "no file was chosen" in text(response)


def test_an_upload_that_is_too_large_is_not_even_kept(steward, monkeypatch):
    monkeypatch.setattr("catalog.uploads.MAX_BYTES", 1_000)
    monkeypatch.setattr("catalog.uploads.OF_THE_FORM", 1_000)
    monkeypatch.setattr("catalog.import_views.MAX_BYTES", 1_000)
    response = upload(steward, "big.csv", b"x" * 5_000)
    assert response.status_code == 400
    assert re.search(r"the file is larger than 1,000 bytes; got “5,\d{3}”", text(response))


def test_the_limit_of_an_upload_is_that_of_the_readers():
    assert MAX_BYTES == 50_000_000


# ── Who may ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def people():
    """The steward's colleague, and a steward of another workspace."""
    lab, other = Workspace.objects.create(name="Lab"), Workspace.objects.create(name="Other")
    Membership.objects.create(user=User.objects.get(username="steward"), workspace=lab)
    made = {}
    for name, workspace in (("colleague", lab), ("stranger", other)):
        made[name] = User.objects.create_user(name)
        Membership.objects.create(user=made[name], workspace=workspace, role=Membership.Role.VIEWER)
    made["stranger"].user_permissions.add(Permission.objects.get(codename="add_importbatch"))
    return made


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


NAMES = ("import_job", "import_details", "import_progress", "import_confirm", "import_cancel")


def asked(client, job, name):
    method = client.get if name in ("import_job", "import_progress") else client.post
    return method(at(job, name)).status_code


def test_only_a_steward_imports(steward, cloud):
    colleague = signed_in(people()["colleague"])
    assert colleague.get(START).status_code == 403
    assert {asked(colleague, cloud, name) for name in NAMES} == {403}
    assert "Import" not in text(colleague.get("/catalog/")).partition("Overview")[2].partition("Catalog")[0]


def test_whoever_is_not_signed_in_is_asked_to(steward, cloud):
    nobody = Client()
    assert nobody.get(START).status_code == 302
    assert {asked(nobody, cloud, name) for name in NAMES} == {302}
    assert nobody.get(reverse("catalog:import_file", args=[cloud.files.get().token])).status_code == 302


def test_a_steward_of_another_workspace_learns_nothing_of_an_upload(steward, cloud):
    stranger = signed_in(people()["stranger"])
    assert {asked(stranger, cloud, name) for name in NAMES} == {404}
    assert stranger.get(reverse("catalog:import_file", args=[cloud.files.get().token])).status_code == 404
    assert "vms.csv" not in text(stranger.get(START))


def test_u007_the_file_is_there_for_colleagues_as_an_attachment_that_nothing_runs(steward, cloud):
    kept = cloud.files.get()
    response = signed_in(people()["colleague"]).get(reverse("catalog:import_file", args=[kept.token]))
    assert response.content.decode() == files.SKYPILOT
    assert response["Content-Disposition"] == 'attachment; filename="vms.csv"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Type"] == "application/octet-stream"
    assert len(kept.token) >= 20


def test_a_job_of_somebody_who_is_gone_is_for_superusers(steward, cloud):
    ImportJob.objects.update(by=None)
    assert steward.get(at(cloud)).status_code == 200
    assert signed_in(people()["stranger"]).get(at(cloud)).status_code == 404


# ── Work in the background ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def queued(steward, monkeypatch):
    """A job that waits for a worker."""
    monkeypatch.setattr(imports, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(imports, "ring", lambda pk: None)
    return job_of(upload(steward, "rates.csv", GOOD))


def test_a_large_file_waits_for_a_worker_who_checks_it(steward, queued):
    assert queued.state == "queued"
    page = steward.get(at(queued))
    assert "It begins as soon as a worker is free" in text(page)
    assert '<noscript><meta http-equiv="refresh" content="2">' in page.content.decode()
    tasks.import_files(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.attempt) == ("ready", 1)
    assert steward.get(at(queued, "import_progress")).headers["HX-Refresh"] == "true"


def test_progress_is_shown_while_the_file_is_read(steward, queued):
    ImportJob.objects.update(state="running", done=500, total=2_000)
    part = steward.get(at(queued, "import_progress"))
    assert 'value="25"' in part.content.decode()
    assert "500 of about 2,000 rows" in text(part)


def test_cancelled_while_it_waits_nothing_is_read(steward, queued):
    steward.post(at(queued, "import_cancel"))
    tasks.import_files(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.preview) == ("cancelled", None)
    assert "Cancelled; nothing was saved." in text(steward.get(at(queued)))


def test_cancelled_while_it_is_saved_nothing_stays(steward, monkeypatch):
    job = job_of(upload(steward, "rates.csv", GOOD))
    real = imports.save

    def cancelled_at_the_last_moment(*given):
        batch = real(*given)
        imports.cancel(job)
        return batch

    monkeypatch.setattr(imports, "save", cancelled_at_the_last_moment)
    confirm(steward, job)
    job.refresh_from_db()
    assert (job.state, Item.objects.count(), ImportBatch.objects.count()) == ("cancelled", 0, 0)


def test_an_error_of_the_program_ends_the_job_with_a_sentence(steward, queued, monkeypatch, caplog):
    monkeypatch.setattr(imports, "compare", lambda *given: 1 / 0)
    tasks.import_files(queued.pk)
    assert "The program failed (ZeroDivisionError). Nothing was saved." in text(steward.get(at(queued)))
    assert "failed" in caplog.text


def test_the_reaper_puts_back_what_a_dead_worker_held_three_times_at_most(queued):
    rung, later = [], timezone.now() + timedelta(hours=1)
    for attempt in (1, 2, 3):
        assert ImportJob.objects.claim(queued.pk, timezone.now(), imports.lease()) == attempt
        rung.append(ImportJob.objects.reap(later, imports.lease()))
    queued.refresh_from_db()
    assert rung == [[queued.pk], [queued.pk], []]
    assert (queued.state, queued.failure) == ("failed", {"code": "lost", "attempts": 3})


def test_an_upload_nobody_finished_is_forgotten_after_a_week(steward, cloud):
    confirm(steward, job_of(upload(steward, "rates.csv", GOOD)))
    ImportJob.objects.reap(timezone.now() + timedelta(days=8), imports.lease())
    assert [job.state for job in ImportJob.objects.all()] == ["done"]


def test_u109_an_uploaded_name_cannot_leave_its_place(steward):
    job = job_of(upload(steward, "../../etc/rates.csv", GOOD))
    assert job.files.get().name == "rates.csv"
    assert Change.objects.count() == 0


def test_in_chinese(steward):
    job = job_of(upload(steward, "rates.csv", GOOD + "USD,CNY,x,2026-01,y\n"))
    page = text(steward.get(at(job), HTTP_ACCEPT_LANGUAGE="zh-hans"))
    assert "将会更改的内容" in page
    assert "略去 1 行有误的数据，保存其余内容。" in page
