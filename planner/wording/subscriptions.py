"""Words for optional licences and assessments."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

# class and field → (label, help, what holds while it is empty)
FIELDS: dict[str, tuple[Any, ...]] = {
    "Operations.subscriptions": (
        _("Licences and assessments"),
        _("Optional licences and assessments that law or customers ask for; none is counted until it is named."),
    ),
    "Subscription.slug": (
        _("Short name"),
        _("Short name used in paths and exports; it stays when the title changes."),
    ),
    "Subscription.name": (_("Name"), _("What it is called."), _("as in the catalog")),
    "Subscription.item": (
        _("In the catalog"),
        _("Row of the catalog that says its price and what that covers."),
        _("not from the catalog"),
    ),
    "Subscription.per": (_("One price covers"), _("A GPU or a server for a year, or one assessment of the system.")),
    "Subscription.price": (
        _("Price"),
        _("For one GPU or server and year, or for one assessment. Without any price the plan has no total."),
        _("the catalog's; else no quote"),
    ),
    "Subscription.from_month": (_("From month"), _("Month, counted from 0, from which it is owed.")),
    "Subscription.every_months": (
        _("Repeated every"),
        _("Months between assessments; in China, by classified protection, 12 at level 3 and 24 at level 2."),
    ),
    "Subscription.rented": (_("Rented GPUs too"), _("Whether GPUs in the cloud need the licence as well.")),
}
CHOICES: dict[tuple[str, Any], Any] = {
    ("per", "gpu"): _("a GPU for a year"),
    ("per", "server"): _("a server for a year"),
    ("per", "assessment"): _("one assessment"),
}
ITEMS = {
    "nvidia-ai-enterprise": _("NVIDIA AI Enterprise"),
    "runai": _("Run:ai GPU orchestration"),
    "base-command-manager": _("Cluster manager"),
    "slurm-support": _("Slurm support"),
    "kubernetes-openshift": _("Supported Kubernetes"),
    "rhel-server": _("Enterprise Linux"),
    "ubuntu-pro": _("Ubuntu Pro with support"),
    "monitoring-dcim": _("Monitoring and DCIM"),
    "mlps-2-assessment": _("Classified protection (MLPS), level 2"),
    "mlps-3-assessment": _("Classified protection (MLPS), level 3"),
}
