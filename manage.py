#!/usr/bin/env python3
import os
import sys

# This file must parse in any Python, so that an old one can say what is wrong.
if sys.version_info < (3, 11):
    sys.exit("Outlay needs Python 3.11 or newer; %s is %d.%d." % ((sys.executable,) + sys.version_info[:2]))


def main():
    os.environ["DJANGO_SETTINGS_MODULE"] = "planner.project.settings"
    from planner.project import bootstrap

    bootstrap.ensure(sys.argv)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
