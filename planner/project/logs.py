"""Log lines without secrets: whoever reads a log must not be able to open what a share link opens."""

import logging
import re

# The token in the address of a share link: in a path, a request line, a referrer, quoted in an exception's text.
TOKEN = re.compile(r"(/r/)[^/\s?#\"'<>]+")


class WithoutTokens(logging.Formatter):
    def format(self, record):
        return TOKEN.sub(r"\1[token]", super().format(record))


class Brief(logging.Filter):
    """Of a request that Django refuses as suspicious, one line: a traceback tells nothing, and anybody can cause it."""

    def filter(self, record):
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True
