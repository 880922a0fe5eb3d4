"""What comes with a request, read without trust."""


def whole(text):
    """A number or key as it is sent, 0 where it is none or larger than any of ours."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
