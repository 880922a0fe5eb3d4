"""Typed readers of the environment that refuse a bad value."""

import contextlib
import hashlib
import os
import secrets
import time
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

SECRET_LENGTH, SECRET_VARIETY = 50, 10  # characters; the first is what Django's own check asks for


def text(name, default):
    return os.environ.get(name, "") or default


def path(name, default):
    return Path(os.environ.get(name) or default).expanduser().resolve()


def words(name, default):
    """A comma-separated list."""
    value = os.environ.get(name, "")
    return [word.strip() for word in value.split(",") if word.strip()] or default


def data_folder(name, checkout):
    """Where this installation keeps its data: in the checkout if that can be written to, else with the user's data."""
    beside = checkout / ".outlay"
    if os.environ.get(name) or os.access(beside if beside.exists() else checkout, os.W_OK):
        return path(name, beside)
    users = path("XDG_DATA_HOME", Path.home() / ".local" / "share")
    return users / "outlay" / hashlib.sha256(str(checkout).encode()).hexdigest()[:12]


def origin(name):
    """The address under which people reach the program, such as https://outlay.example.org; empty if it is not set."""
    value = os.environ.get(name, "").strip()
    parts = urlsplit(value)
    if value and (parts.scheme != "https" or not parts.hostname or value.rstrip("/") != f"https://{parts.netloc}"):
        raise SystemExit(
            f"{name} must be https:// and a host, without a path, as in https://outlay.example.org; got {value!r}."
        )
    return value.rstrip("/")


def boolean(name, default):
    value = os.environ.get(name, "").strip().lower()
    if value in ("", "1", "0", "true", "false", "yes", "no"):
        return value in ("1", "true", "yes") if value else default
    raise SystemExit(f"{name} must be 1 or 0; got {value!r}.")


def number(name, default, *, low, high):
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        found = float(value)
    except ValueError:
        found = float("nan")
    if not low <= found <= high:
        raise SystemExit(f"{name} must be a number from {low} to {high}; got {value!r}.")
    return found


def broker(name):
    """The address of what hands runs to workers: files in the data folder, unless a Redis or Valkey server is named."""
    url = os.environ.get(name, "")
    if url and urlsplit(url).scheme not in ("redis", "rediss", "redis+socket", "filesystem"):
        raise SystemExit(f"{name} must start with redis:// or rediss://; got {urlsplit(url).scheme!r}.")
    return url or "filesystem://localhost//"


def broker_options(url, folder):
    """Settings of the transport."""
    if not url.startswith("filesystem"):
        return {"socket_connect_timeout": 2, "retry_on_timeout": False}
    messages, control = broker_folders(folder)
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "control_folder": str(control),
        "polling_interval": 0.1,
    }


def broker_folders(folder):
    """Where a file broker keeps its messages, and its word of queues; whoever runs a worker makes them."""
    return folder / "messages", folder / "control"


def private_folder(folder):
    """Make a folder that only its owner may enter; one that others may enter is closed to them."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    return folder


def secret_kept_in(file):
    """A key made once for this data folder, readable by its owner alone."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        with contextlib.suppress(OSError):  # it may have come out of a backup, or belong to another user
            file.chmod(0o600)
        for _ in range(100):  # another process may be about to write it
            if key := file.read_text().strip():
                return key
            time.sleep(0.02)
        raise SystemExit(f"{file} is empty; delete it.") from None
    with os.fdopen(handle, "w") as out:
        key = secrets.token_urlsafe(50)
        out.write(key)
    return key


def fingerprint(secret):
    """A few letters that tell one installation from another and say nothing of its secret."""
    return hashlib.sha256(b"outlay instance " + secret.encode()).hexdigest()[:8]


def refuse_debug(name, debug):
    if debug:
        raise SystemExit(f"{name}=1 and OUTLAY_PRODUCTION=1 exclude each other: debug pages show settings and data.")


def refuse_any_host(name, hosts):
    if "*" in hosts:
        raise SystemExit(
            f"{name} must list the names people use, such as outlay.example.org; '*' would let any web page whose "
            f"name is made to point here speak for them."
        )


def refuse_weak_secret(name, key):
    """Whoever guesses the key can sign in as anybody."""
    if len(key) < SECRET_LENGTH or len(set(key)) < SECRET_VARIETY:
        raise SystemExit(
            f"{name} must have at least {SECRET_LENGTH} characters, {SECRET_VARIETY} of them different; "
            f"got {len(key)} with {len(set(key))} different. Make one: "
            f"python3 -c 'import secrets; print(secrets.token_urlsafe(50))'."
        )


def database(name, sqlite_file):
    """A Django database entry from a URL; an empty URL means SQLite in the data folder."""
    url = os.environ.get(name, "")
    if not url:
        with contextlib.suppress(OSError):  # whoever then needs the database is told
            sqlite_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(sqlite_file),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise SystemExit(f"{name} must start with postgresql://; got {parts.scheme!r}.")
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "OPTIONS": query,
    }
