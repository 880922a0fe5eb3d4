"""Django settings, read from the environment; empty values mean the embedded default (SQLite, this machine only)."""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from planner.project import env, translations

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = env.data_folder("OUTLAY_DATA", BASE_DIR)

EMBEDDED = env.boolean("OUTLAY_EMBEDDED", False)  # set by `start` for its own web process: who is here is the owner
PRODUCTION = env.boolean("OUTLAY_PRODUCTION", False)  # behind a proxy with TLS: see compose.yaml
NO_BROWSER = env.boolean("OUTLAY_NO_BROWSER", False)
if EMBEDDED and PRODUCTION:
    raise SystemExit("OUTLAY_EMBEDDED and OUTLAY_PRODUCTION exclude each other.")

LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
DEBUG = env.boolean("OUTLAY_DEBUG", False)
SECRET_KEY = env.text("OUTLAY_SECRET_KEY", "") or env.secret_kept_in(DATA_DIR / "secret_key")
ALLOWED_HOSTS = LOOPBACK if EMBEDDED else env.words("OUTLAY_HOSTS", LOOPBACK)
CSRF_TRUSTED_ORIGINS = env.words("OUTLAY_ORIGINS", [])

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
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "planner.project.local.LocalOwner",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
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
CATALOG_NEIGHBOUR = "planner.views.items"  # what draws the prices of an item and knows who uses it
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
LOGIN_URL = "sign-in"
LOGOUT_REDIRECT_URL = "sign-in"
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOGIN_REDIRECT_URL = "/"

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
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True

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
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "propagate": True},  # not by mail, as is Django's default: an error must be seen
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},  # the lines of runserver
        "django.request": {"level": "ERROR"},  # a page that is not there is no news
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "waitress.queue": {"level": "ERROR"},  # a request that waits for a moment is no news
    },
}
