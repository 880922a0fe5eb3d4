"""What `manage.py check --deploy` says of settings that Django does not know."""

from django.conf import settings
from django.core.checks import Tags, Warning, register


@register(Tags.security, deploy=True)
def public_address_is_set(app_configs, **more):
    if settings.PRODUCTION and not settings.PUBLIC_ADDRESS:
        return [
            Warning(
                "OUTLAY_PUBLIC_ADDRESS is not set: no share link can be made.",
                hint="Set it to the address people use, such as https://outlay.example.org.",
                id="planner.W001",
            )
        ]
    return []
