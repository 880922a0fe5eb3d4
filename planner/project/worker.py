"""The worker child of `start`: one Celery process that computes runs. Run as `python -m planner.project.worker`."""

import warnings

from planner.project import lifeline

# One process that computes one run at a time. A pool of processes shares a lock: one that is killed while it waits for
# work takes the lock with it, and the others wait for ever. A process alone is seen to be dead, and started again.
# Who is there, who knows what and who is well is for clusters of workers.
ARGUMENTS = ["--quiet", "worker", "--pool=solo", "--without-gossip", "--without-mingle", "--without-heartbeat"]


def main():
    lifeline.watch()
    from celery.platforms import SecurityWarning

    from planner.project.celery import app

    warnings.filterwarnings("ignore", category=SecurityWarning)  # whoever is root here has started all of it as root
    app.worker_main([*ARGUMENTS, "--loglevel=WARNING"])


if __name__ == "__main__":
    main()
