"""The worker child of `start`: one Celery process that computes runs. Run as `python -m planner.project.worker`."""

import sys
import warnings

from planner.project import lifeline

# One run at a time; who is there, who knows what and who is well is for clusters of workers.
ARGUMENTS = ["--quiet", "worker", "--concurrency=1", "--without-gossip", "--without-mingle", "--without-heartbeat"]


def main():
    lifeline.watch()
    from celery.platforms import SecurityWarning

    from planner.project.celery import app

    warnings.filterwarnings("ignore", category=SecurityWarning)  # whoever is root here has started all of it as root
    pool = ["--pool=solo"] if sys.platform == "win32" else ["--pool=prefork"]
    app.worker_main([*ARGUMENTS, *pool, "--loglevel=WARNING"])


if __name__ == "__main__":
    main()
