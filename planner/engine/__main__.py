"""python -m planner.engine scenario.json --prices prices.json [--format table|json|csv]

Reads a scenario and a price book, or one file that holds both (`{"scenario": …, "prices": …}`).
Prints the evaluation.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from planner.engine.evaluate import evaluate
from planner.engine.export import WRITERS
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.quantities import InputError


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 after an evaluation, 2 where an input is refused."""
    parser = argparse.ArgumentParser(
        prog="python -m planner.engine", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenario", type=Path, help="a scenario, or a file that holds scenario and prices")
    parser.add_argument("--prices", type=Path, help="a price book, where the scenario file holds none")
    parser.add_argument("--format", choices=sorted(WRITERS), default="table")
    options = parser.parse_args(arguments)
    try:
        data = _json(options.scenario)
        scenario, prices = (data["scenario"], data.get("prices")) if "scenario" in data else (data, None)
        if options.prices is not None:
            prices = _json(options.prices)
        if prices is None:
            parser.error("no prices: the file holds a scenario alone, so --prices is needed")
        plain = evaluate(Scenario.read(scenario), PriceBook.read(prices)).as_dict()
    except InputError as error:
        for problem in error.problems:
            print(json.dumps(problem.as_dict(), ensure_ascii=False), file=sys.stderr)
        return 2
    # not JSON, not UTF-8, a number of 5000 digits, nested too deep
    except (OSError, ValueError, RecursionError) as error:
        print(f"{options.scenario}: {error}", file=sys.stderr)
        return 2
    print(WRITERS[options.format](plain))
    return 0


def _json(path: Path) -> dict[str, Any]:
    data = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=lambda word: word)
    if not isinstance(data, dict):
        raise json.JSONDecodeError("an object is expected", str(path), 0)
    return data


if __name__ == "__main__":
    sys.exit(main())
