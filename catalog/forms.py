"""What a steward types: a data sheet is validated by its kind, a price is never without unit and currency."""

import json

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError as SpecError

from catalog import terms, wording
from catalog.importers.table import BadCell, spec_errors
from catalog.models import Item, Quote
from catalog.models.items import provenance_problem
from catalog.records import plain
from catalog.specs import KINDS

UNITS = (
    "each",
    "gpu-hour",
    "gpu-month",
    "instance-hour",
    "instance-month",
    "instance-year",
    "kWh",
    "MWh",
    "kW-month",
    "kW-year",
    "TB",
    "kW",
    "MW",
    "year",
    "gpu-year",
    "node-year",
    "core-year",
)


class Readable(json.JSONEncoder):
    """One field a line: a person edits it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **(kwargs | {"indent": 1, "ensure_ascii": False}))


class UnitInput(forms.TextInput):
    """A text with the usual units to choose from."""

    def render(self, name, value, attrs=None, renderer=None):
        offered = f"{(attrs or {}).get('id', name)}-usual"
        field = super().render(name, value, (attrs or {}) | {"list": offered}, renderer)
        options = format_html_join("", '<option value="{}"></option>', ((unit,) for unit in UNITS))
        return format_html('{}<datalist id="{}">{}</datalist>', field, offered, options)


class ItemForm(forms.ModelForm):
    """An item with its data sheet as a document."""

    spec = forms.JSONField(label=_("data sheet"), required=False, initial=dict, encoder=Readable)
    provenance = forms.JSONField(
        label=_("provenance"),
        required=False,
        initial=list,
        encoder=Readable,
        help_text=_("Who says so: a list of status, text, url and the cells they speak of."),
    )

    class Meta:
        model = Item
        fields = ("kind", "slug", "name", "vendor", "spec", "provenance")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "kind" in self.fields:
            self.fields["kind"].choices = [(kind, wording.kind(kind)) for kind in KINDS]

    def clean_spec(self):
        spec = self.cleaned_data["spec"] or {}
        if not isinstance(spec, dict):
            raise ValidationError(_("The data sheet must be an object of fields and values."))
        return {name: value for name, value in spec.items() if value is not None}

    def clean_provenance(self):
        provenance = self.cleaned_data["provenance"] or []
        if problem := provenance_problem(provenance):
            raise ValidationError(_("Provenance: %(problem)s."), params={"problem": problem})
        return provenance

    def clean(self):
        cleaned = super().clean()
        kind, spec = cleaned.get("kind"), cleaned.get("spec")
        if kind in KINDS and spec is not None:
            try:
                document = KINDS[kind].model_validate(spec)
            except SpecError as error:
                bad = [BadCell("", 0, **one) for one in spec_errors(kind, error)]
                self.add_error("spec", [wording.wrong_field(cell) for cell in bad])
            else:
                cleaned["spec"] = document.model_dump(mode="json", exclude_none=True)
        return cleaned


class TermsField(forms.CharField):
    """Volume breaks or discounts in one line of text."""

    def __init__(self, *, read, write, stored, **kwargs):
        self.read, self.write, self.stored = read, write, stored
        super().__init__(required=False, widget=forms.TextInput(attrs={"size": 60}), **kwargs)

    def prepare_value(self, value):
        return value if isinstance(value, str) else self.write(self.stored(value))

    def has_changed(self, initial, data):
        try:
            return self.stored(initial) != self.read(data or "")
        except terms.BadTerm:
            return True

    def clean(self, value):
        text = super().clean(value)
        try:
            return self.read(text)
        except terms.BadTerm as error:
            raise ValidationError("%(reason)s", params={"reason": wording.bad_term(error)}) from None


class QuoteForm(forms.ModelForm):
    """A price: the amount, its currency, and what it buys, side by side."""

    breaks = TermsField(
        label=_("Volume breaks"),
        read=terms.read_breaks,
        write=terms.write_breaks,
        stored=terms.stored_breaks,
        help_text=_("Quantity and price of one from there on, as in 8: 41500; 16: 40000."),
    )
    discounts = TermsField(
        label=_("Discounts"),
        read=terms.read_discounts,
        write=terms.write_discounts,
        stored=terms.stored_discounts,
        help_text=_("Each counted once: a share of every order, or an amount off the first, as in Framework: 5 %."),
    )

    class Meta:
        model = Quote
        fields = (
            *("item", "unit_price", "currency", "unit", "kind", "condition", "supplier", "number", "quoted_on"),
            *("date_precision", "valid_until", "source_url", "basis"),
            *("breaks", "discounts", "min_quantity", "min_order_value", "pack_size", "tax_included_percent"),
        )
        help_texts = {"unit": ""}  # so that amount, currency and unit stay on one line
        widgets = {
            "unit_price": forms.NumberInput(attrs={"step": "any", "min": "0"}),
            "currency": forms.TextInput(attrs={"size": 4, "maxlength": 3, "autocapitalize": "characters"}),
            "unit": UnitInput(attrs={"size": 16, "placeholder": "kW-month"}),
            "basis": forms.Textarea(attrs={"rows": 3}),
        }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("kind", "condition", "date_precision"):
            if name in self.fields:
                choices = [(value, wording.word(value)) for value, _label in self.fields[name].choices if value]
                self.fields[name].choices = choices
        stored = self.instance
        if stored.pk and "unit_price" in self.fields:  # the unit stands beside the amount, whatever the layout
            self.initial["unit_price"] = plain(stored.unit_price)
            self.fields["unit_price"].help_text = gettext("in {currency} per {unit}").format(
                currency=stored.currency or "—", unit=wording.unit(stored.unit)
            )

    def clean_currency(self):
        return self.cleaned_data["currency"].strip().upper()
