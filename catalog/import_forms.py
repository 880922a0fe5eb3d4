"""What must be said of a file that does not say it itself: whose prices, of which day, which column is what."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog import import_words, wording
from catalog.importers import supplier
from catalog.importers.netbox import KINDS
from catalog.importers.table import CURRENCIES, LENGTHS
from catalog.models import Item, SupplierMapping

MOST_OFFERED = 200


class Offered(forms.TextInput):
    """A text with a list to choose from."""

    def __init__(self, offered):
        super().__init__()
        self.offered = offered

    def render(self, name, value, attrs=None, renderer=None):
        listed = f"{(attrs or {}).get('id', name)}-list"
        field = super().render(name, value, (attrs or {}) | {"list": listed}, renderer)
        options = format_html_join("", '<option value="{}"></option>', ((text,) for text in self.offered()))
        return format_html('{}<datalist id="{}">{}</datalist>', field, listed, options)


class Styled(forms.Form):
    """Fields as the rest of the program has them."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, label_suffix="", **kwargs)
        for field in self.fields.values():
            if not isinstance(field, forms.BooleanField):
                field.widget.attrs["class"] = "field"


class DayField(forms.DateField):
    def __init__(self, **kwargs):
        super().__init__(widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}), **kwargs)


def providers():
    found = Item.objects.of_kind("offer").order_by("vendor").values_list("vendor", flat=True).distinct()
    return [name for name in found[:MOST_OFFERED] if name]


def suppliers():
    return list(SupplierMapping.objects.order_by("supplier").values_list("supplier", flat=True)[:MOST_OFFERED])


class CloudForm(Styled):
    """Of cloud prices: whose, and of which day."""

    provider = forms.RegexField(
        r"^[a-z0-9][a-z0-9.-]*$",
        label=_("Provider"),
        max_length=LENGTHS["provider"],
        widget=Offered(providers),
        help_text=_("Whose prices these are, in small letters, as in aws or lambda: the file does not say it."),
        error_messages={"invalid": _("Write small letters, digits, dots and hyphens only.")},
    )
    as_of = DayField(label=_("Prices of"), help_text=_("The day on which the file was made."))

    def clean_as_of(self):
        return _not_in_future(self.cleaned_data["as_of"])

    def options(self):
        return {"provider": self.cleaned_data["provider"], "as_of": self.cleaned_data["as_of"].isoformat()}


class SupplierForm(Styled):
    """Of a quote, first of all whose it is: columns are remembered by supplier."""

    supplier = forms.CharField(label=_("Supplier"), max_length=LENGTHS["supplier"], widget=Offered(suppliers))


class QuoteForm(SupplierForm):
    """Of a quote: its terms, and the column of each of our fields."""

    number = forms.CharField(label=_("Quote number"), max_length=LENGTHS["number"], required=False)
    quoted_on = DayField(label=_("Quoted on"))
    valid_until = DayField(label=_("Valid until"), required=False, help_text=_("Where no column says it."))
    currency = forms.CharField(
        label=_("Currency"), max_length=3, required=False, help_text=_("ISO code, where no column says it.")
    )
    tax_included_percent = forms.DecimalField(
        label=_("Tax included, per cent"), min_value=0, max_value=100, decimal_places=3, max_digits=6, required=False
    )

    def __init__(self, *args, header, **kwargs):
        super().__init__(*args, **kwargs)
        choices = [("", gettext("not in the file")), *((column, column) for column in header)]
        for name in supplier.FIELDS:
            select = forms.Select(attrs={"class": "field"})
            label = import_words.COLUMNS[name]
            self.fields[f"column_{name}"] = forms.ChoiceField(
                label=label, choices=choices, required=name in supplier.NEEDED, widget=select
            )

    @property
    def columns(self):
        return [self[f"column_{name}"] for name in supplier.FIELDS]

    @property
    def of_the_quote(self):
        names = ("supplier", "number", "quoted_on", "valid_until", "currency", "tax_included_percent")
        return [self[name] for name in names]

    def clean_currency(self):
        code = self.cleaned_data["currency"].strip().upper()
        if code and code not in CURRENCIES:
            raise ValidationError(
                _("Currency must be a three-letter code of ISO 4217; got “%(value)s”."), params={"value": code}
            )
        return code

    def clean_quoted_on(self):
        return _not_in_future(self.cleaned_data["quoted_on"])

    def clean(self):
        cleaned = super().clean()
        if not any(cleaned.get(f"column_{name}") for name in supplier.NAMING):
            self.add_error(
                "column_part_number", _("A line needs a part number, a description or an item of the catalog.")
            )
        if not cleaned.get("currency") and not cleaned.get("column_currency") and "currency" not in self.errors:
            self.add_error("currency", _("A price needs a currency: here, or as a column."))
        first, last = cleaned.get("quoted_on"), cleaned.get("valid_until")
        if first and last and last < first:
            self.add_error("valid_until", _("The quote would end before it begins."))
        return cleaned

    def options(self):
        said = self.cleaned_data
        mapping = {name: said[f"column_{name}"] for name in supplier.FIELDS if said.get(f"column_{name}")}
        tax = said["tax_included_percent"]
        return {
            "terms": {
                "supplier": said["supplier"],
                "mapping": mapping,
                "number": said["number"],
                "quoted_on": said["quoted_on"].isoformat(),
                "valid_until": said["valid_until"].isoformat() if said["valid_until"] else "",
                "currency": said["currency"],
                "tax_included_percent": "" if tax is None else str(tax),
            }
        }


class DeviceForm(Styled):
    """Of device types: what they are, where the file does not tell."""

    kind = forms.ChoiceField(label=_("Kind"), required=False)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["kind"].choices = [("", gettext("as each file tells")), *((k, wording.kind(k)) for k in KINDS)]

    def options(self):
        return {"kind": self.cleaned_data["kind"]}


def _not_in_future(day):
    if day > timezone.localdate():
        raise ValidationError(_("That day has not come yet."))
    return day
