from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from planner.project import translations


class Command(BaseCommand):
    help = "Brings the translation files up to date with code and templates, and compiles them."
    requires_system_checks = ()

    def add_arguments(self, parser):
        only = parser.add_mutually_exclusive_group()
        only.add_argument("--check", action="store_true", help="only fail if a message has no good translation")
        only.add_argument("--compile", action="store_true", help="only compile")

    def handle(self, *, check, compile, **options):
        if compile:
            translations.compile_all(settings.DATA_DIR)
            return
        if check:
            if wrong := translations.missing():
                raise CommandError("\n".join([*wrong, f"{len(wrong)} messages to translate"]))
            self.stdout.write("Every message is translated.")
            return
        added, aside = translations.update()
        translations.compile_all(settings.DATA_DIR)
        left = len(translations.missing())
        self.stdout.write(f"{added} messages added, {aside} set aside, {left} still to translate.")
