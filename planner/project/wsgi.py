import os

from django.core.wsgi import get_wsgi_application

from planner.project.refusals import with_readable_type

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner.project.settings")
application = with_readable_type(get_wsgi_application())
