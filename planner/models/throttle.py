"""How often someone has tried to guess something."""

from django.db import models


class Attempts(models.Model):
    """The attempts of one client at one kind of secret that have not succeeded; forgotten some time after the last."""

    scope = models.CharField(max_length=40)
    # Keyed hash: neither an address nor an account can be read out of the row.
    client_sha256 = models.CharField(max_length=64)
    failures = models.PositiveIntegerField(default=0)
    # Before this moment no further attempt is admitted.
    free_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "client_sha256"], name="one_count_each")]

    def __str__(self) -> str:
        return f"{self.scope} · {self.failures}"
