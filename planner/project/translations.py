"""Translations without GNU gettext: finds what code and templates say, keeps the .po files, compiles them.

A message is looked for in the locale of the app that says it. Every language file must translate every message.
"""

import ast
import os
import re
from dataclasses import dataclass
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parents[2]
APPS = ("planner", "catalog")
LANGUAGES = ("zh_Hans",)

# Arguments of each function: "c" context, "m" message, "p" plural.
PLAIN, PLURAL, CONTEXT, CONTEXT_PLURAL = "m", "mp", "cm", "cmp"
FUNCTIONS = {
    "_": PLAIN,
    "gettext": PLAIN,
    "gettext_lazy": PLAIN,
    "gettext_noop": PLAIN,
    "ngettext": PLURAL,
    "ngettext_lazy": PLURAL,
    "pgettext": CONTEXT,
    "pgettext_lazy": CONTEXT,
    "npgettext": CONTEXT_PLURAL,
    "npgettext_lazy": CONTEXT_PLURAL,
}
LITERAL = r"""u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
IN_TEMPLATE = re.compile(
    rf"\b(_|gettext|ngettext|pgettext|npgettext)\({LITERAL}(?:, ?{LITERAL})?(?:, ?{LITERAL})?", re.S
)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")


@dataclass(frozen=True)
class Message:
    """What gettext looks up: a sentence, its plural form, the context that tells it from its like."""

    text: str
    plural: str = ""
    context: str = ""

    @property
    def key(self):
        return self.context, self.text


def message(shape, literals):
    parts = dict(zip(shape, literals, strict=True))
    return Message(parts["m"], parts.get("p", ""), parts.get("c", ""))


def in_python(source):
    """Yield each (Message, line) of a module; a call whose argument is not a literal is somebody else's message."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            shape = FUNCTIONS.get(name)
            if shape and len(node.args) >= len(shape):
                values = [getattr(argument, "value", None) for argument in node.args[: len(shape)]]
                if all(isinstance(value, str) for value in values):
                    yield message(shape, values), node.lineno


def in_template(source, origin=""):
    """Yield each (Message, line) of a template."""
    from django.utils.translation.template import templatize

    text = templatize(source, origin=origin)
    for found in IN_TEMPLATE.finditer(text):
        shape = FUNCTIONS[found[1]]
        literals = [ast.literal_eval(literal) for literal in found.groups()[1 : 1 + len(shape)]]
        yield message(shape, literals), text.count("\n", 0, found.start()) + 1


def said(app, root=ROOT):
    """Every message of an app: {Message: [place, …]}."""
    found = {}

    def note(messages, file):
        for each, line in messages:
            found.setdefault(each, []).append((file.relative_to(root).as_posix(), line))

    for file in sorted((root / app).rglob("*.py")):
        if "migrations" not in file.parts:
            note(in_python(file.read_text("utf-8")), file)
    folders = [root / "templates" / app, root / app / "templates"]
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in (".html", ".txt")]
    if app == APPS[0]:  # the templates that belong to no app
        files += (root / "templates").glob("*.html")
    for file in sorted(files):
        note(in_template(file.read_text("utf-8"), str(file)), file)
    return found


def po_file(app, language, root=ROOT):
    return root / app / "locale" / language / "LC_MESSAGES" / "django.po"


def entries(po):
    return {(entry.msgctxt or "", entry.msgid): entry for entry in po if not entry.obsolete}


def problem(entry):
    """What is wrong with a translation, or nothing."""
    if entry is None:
        return "is missing"
    texts = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
    if not texts or not all(texts):
        return "has no translation"
    if entry.fuzzy:
        return "is fuzzy"
    wanted = set(PLACEHOLDER.findall(entry.msgid_plural or entry.msgid))
    if any(set(PLACEHOLDER.findall(text)) - wanted or (wanted - set(PLACEHOLDER.findall(text))) for text in texts):
        return "does not keep the placeholders"
    return ""


def missing(root=ROOT):
    """List, as sentences, every message without a good translation."""
    wrong = []
    for app in APPS:
        messages = said(app, root)
        for language in LANGUAGES:
            file = po_file(app, language, root)
            known = entries(polib.pofile(str(file))) if file.exists() else {}
            for each, places in messages.items():
                if fault := problem(known.get(each.key)):
                    where = "{}:{}".format(*places[0])
                    wrong.append(f"{app} {language}: {each.text!r} {fault} ({where})")
    return wrong


def update(root=ROOT):
    """Add new messages to the .po files and set aside those that nothing says any more. Return (added, set aside)."""
    added = aside = 0
    for app in APPS:
        messages = said(app, root)
        for language in LANGUAGES:
            file = po_file(app, language, root)
            if not messages and not file.exists():
                continue
            po = polib.pofile(str(file), wrapwidth=110) if file.exists() else new_po(language)
            known = {(entry.msgctxt or "", entry.msgid): entry for entry in po}
            keys = {each.key: each for each in messages}
            for key, entry in known.items():
                if key not in keys and not entry.obsolete:
                    entry.obsolete = True
                    aside += 1
            for key, each in keys.items():
                entry = known.get(key)
                if entry is None:
                    entry = polib.POEntry(msgid=each.text, msgctxt=each.context or None)
                    po.append(entry)
                    added += 1
                entry.obsolete = False
                # Files without line numbers: an edit elsewhere must not touch the language files.
                entry.occurrences = [(name, "") for name in dict.fromkeys(name for name, _line in messages[each])]
                if each.plural:
                    entry.msgid_plural = each.plural
                    entry.msgstr_plural = entry.msgstr_plural or {0: entry.msgstr}
            file.parent.mkdir(parents=True, exist_ok=True)
            po.save(str(file))
    return added, aside


def new_po(language):
    po = polib.POFile(wrapwidth=110)
    po.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=1; plural=0;",
    }
    return po


def folder_of(app, data, root=ROOT):
    """Where an app's compiled translations go: beside its .po files, or into the data folder if those are read-only."""
    beside = root / app / "locale"
    return beside if not beside.exists() or os.access(beside, os.W_OK) else data / "locale" / app


def extra_folders(data, root=ROOT):
    """The folders that Django does not look into by itself."""
    return [folder for app in APPS if (folder := folder_of(app, data, root)) != root / app / "locale"]


def compile_all(data, root=ROOT):
    """Compile each .po file that is newer than its .mo. Return how many were."""
    done = 0
    for app in APPS:
        for language in LANGUAGES:
            source = po_file(app, language, root)
            compiled = folder_of(app, data, root) / language / "LC_MESSAGES" / "django.mo"
            if not source.exists() or (compiled.exists() and compiled.stat().st_mtime_ns > source.stat().st_mtime_ns):
                continue
            compiled.parent.mkdir(parents=True, exist_ok=True)
            fresh = compiled.with_suffix(f".{os.getpid()}.new")
            polib.pofile(str(source)).save_as_mofile(str(fresh))
            fresh.replace(compiled)  # another process may be reading it
            done += 1
    return done
