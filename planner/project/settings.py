"""Django settings, read from the environment; empty values mean the embedded default (SQLite, this machine only)."""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from planner.project import env, translations

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = env.data_folder("OUTLAY_DATA", BASE_DIR)

EMBEDDED = env.boolean("OUTLAY_EMBEDDED", False)  # set by `start` for its own web process: this computer's owner only
PRODUCTION = env.boolean("OUTLAY_PRODUCTION", False)  # behind a proxy with TLS: see compose.yaml
NO_BROWSER = env.boolean("OUTLAY_NO_BROWSER", False)
if EMBEDDED and PRODUCTION:
    raise SystemExit("OUTLAY_EMBEDDED and OUTLAY_PRODUCTION exclude each other.")

LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
DEBUG = env.boolean("OUTLAY_DEBUG", False)
SECRET_KEY = env.text("OUTLAY_SECRET_KEY", "") or env.secret_kept_in(DATA_DIR / "secret_key")
# Embedded, this is what stops a page whose name was made to point here (DNS rebinding).
ALLOWED_HOSTS = LOOPBACK if EMBEDDED else env.words("OUTLAY_HOSTS", LOOPBACK)
PUBLIC_ADDRESS = env.origin("OUTLAY_PUBLIC_ADDRESS")  # what share links begin with; never a request's Host header
CSRF_TRUSTED_ORIGINS = env.words("OUTLAY_ORIGINS", [])
if PRODUCTION:
    env.refuse_debug("OUTLAY_DEBUG", DEBUG)
    env.refuse_any_host("OUTLAY_HOSTS", ALLOWED_HOSTS)
    env.refuse_weak_secret("OUTLAY_SECRET_KEY", SECRET_KEY)

INSTALLED_APPS = [
    "planner",  # before any app with a command of the same name: `test` must be ours
    "catalog",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
]
MIDDLEWARE = [
    "planner.project.headers.ContentSecurityPolicy",  # first: static files and errors carry it too
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "planner.project.refusals.ReadableType",
    "planner.project.local.LocalOnly",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "planner.project.local.KeepSignedIn",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "planner.project.refusals.NotAllowedSaid",
]
ROOT_URLCONF = "planner.project.urls"
WSGI_APPLICATION = "planner.project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "planner.views.context.page",
            ]
        },
    }
]
DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR / "outlay.sqlite3")}
AUTH_USER_MODEL = "planner.User"
FILE_UPLOAD_HANDLERS = [
    "catalog.uploads.Limited",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
CATALOG_NEIGHBOUR = "planner.views.items"  # what draws the prices of an item and knows who uses it
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "sign-in"
LOGOUT_REDIRECT_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"

# A browser sends the cookies of 127.0.0.1 to every port there: each data folder has names of its own.
INSTANCE = env.fingerprint(SECRET_KEY)
SESSION_COOKIE_NAME = f"outlay_session_{INSTANCE}"
CSRF_COOKIE_NAME = f"outlay_csrf_{INSTANCE}"
LANGUAGE_COOKIE_NAME = f"outlay_language_{INSTANCE}"
KNOWN_COOKIE_NAME = f"outlay_known_{INSTANCE}"  # planner.services.accounts: a browser that has signed in before
LANGUAGE_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # the other keeps a cookie of its own
SESSION_COOKIE_AGE = (30 if EMBEDDED else 14) * 24 * 3600  # [s], from the last day it was used

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = translations.extra_folders(DATA_DIR)
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = env.path("OUTLAY_STATIC", DATA_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "planner.project.vendor.InstalledPackagesFinder",
]
WHITENOISE_USE_FINDERS = not PRODUCTION  # embedded: straight from the packages, no collectstatic
if PRODUCTION:
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = ["^healthz$"]  # asked from within the container, where nobody speaks TLS
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = True
    # We speak for our own name only: its subdomains, and a browser's built-in list of names, are for the operator.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

BROKER_DIR = DATA_DIR / "broker"
RUN_LEASE_SECONDS = env.number("OUTLAY_LEASE_SECONDS", 10, low=2, high=3600)  # a worker silent for longer is dead
CELERY_BROKER_URL = env.broker("OUTLAY_BROKER")
CELERY_BROKER_TRANSPORT_OPTIONS = env.broker_options(CELERY_BROKER_URL, BROKER_DIR)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False  # a request never waits for a broker that is away: the reaper rings again
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = CELERY_EVENT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True  # results are on the row of the run
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {  # on a server; `start` looks after the runs itself
    "reap": {"task": "planner.tasks.reap", "schedule": 2.0, "options": {"expires": 10}}
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "class": "planner.project.logs.WithoutTokens",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "filters": {"brief": {"()": "planner.project.logs.Brief"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["brief"]}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "propagate": True},  # not by mail, as is Django's default: an error must be seen
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},  # the lines of runserver
        "django.request": {"level": "ERROR"},  # a page that is not there is no news
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "waitress.queue": {"level": "ERROR"},  # a request that waits for a moment is no news
    },
}
