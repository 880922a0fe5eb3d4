"""The web child of `start`: waitress on a socket that `start` has opened. Run as `python -m planner.project.web`."""

import os
import signal
import socket
import sys

from planner.project import lifeline


def main():
    lifeline.watch()
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit())  # waitress then finishes the requests at hand
    from waitress import serve

    from planner.project.wsgi import application

    listening = socket.socket(fileno=int(os.environ.pop("OUTLAY_SOCKET")))
    # The headers of a proxy are kept: by them planner.project.local knows that a request is not from this computer.
    serve(application, sockets=[listening], threads=8, ident=None, clear_untrusted_proxy_headers=False)


if __name__ == "__main__":
    main()
