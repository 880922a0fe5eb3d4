"""What a new share link may be given."""

import unicodedata

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from planner.services import reports, sharing

NEVER = "never"


def _expiries():
    for days in sharing.EXPIRIES:
        if days is None:
            yield NEVER, _("never, until revoked")
        elif days == 1:
            yield "1", _("tomorrow")
        else:
            yield str(days), ngettext("in {count} day", "in {count} days", days).format(count=days)


def _languages():
    return [("", _("the reader’s language")), *reports.LANGUAGES.items()]


class LinkForm(forms.Form):
    """`options` are the keyword arguments of `sharing.create`."""

    expires = forms.ChoiceField(
        label=gettext_lazy("Expires"),
        choices=_expiries,
        error_messages={"required": gettext_lazy("“Expires” is missing: say for how long the link opens, or “never”.")},
    )
    views = forms.CharField(label=gettext_lazy("Opens at most"), required=False)
    language = forms.ChoiceField(label=gettext_lazy("Opens in"), choices=_languages, required=False)
    passphrase = forms.CharField(label=gettext_lazy("Passphrase"), required=False, strip=False)
    hide_prices = forms.BooleanField(label=gettext_lazy("Leave out unit prices and quotes"), required=False)

    def clean_expires(self):
        chosen = self.cleaned_data["expires"]
        return None if chosen == NEVER else int(chosen)

    def clean_views(self):
        typed = unicodedata.normalize("NFKC", self.cleaned_data["views"]).replace(",", "")
        if not typed:
            return None
        if not (typed.isascii() and typed.isdigit() and 1 <= int(typed[:9]) <= sharing.MOST_VIEWS):
            raise forms.ValidationError(
                _("“Opens at most” takes a whole number of times from 1 to {most}, or nothing; got “{typed}”.").format(
                    most=f"{sharing.MOST_VIEWS:,}", typed=typed[:40]
                )
            )
        return int(typed)

    def clean_passphrase(self):
        typed = self.cleaned_data["passphrase"]
        passphrase = sharing.plain(typed)
        low, high = sharing.SHORTEST_PASSPHRASE, sharing.LONGEST_PASSPHRASE
        if typed and not low <= len(passphrase) <= high:
            raise forms.ValidationError(
                _("A passphrase has {low} to {high} characters; this one has {count}.").format(
                    low=low, high=high, count=len(passphrase)
                )
            )
        return passphrase

    @property
    def options(self):
        given = self.cleaned_data
        return {
            "days": given["expires"],
            "views": given["views"],
            "language": given["language"],
            "passphrase": given["passphrase"],
            "hides_prices": given["hide_prices"],
        }
