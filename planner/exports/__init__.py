"""Results as files: bytes out, no request, no database."""
