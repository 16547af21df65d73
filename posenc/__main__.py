"""The command line: ``python -m posenc diagnose config.json --target-length 131072``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from posenc.doctor import diagnose

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if the configuration is sound, 1 if there are warnings, 2 if it cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m posenc", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser(
        "diagnose", help="say what a model's config.json does to every pair, and what is odd"
    )
    doctor.add_argument("config", type=Path, help="path of the model's config.json")
    doctor.add_argument("--target-length", type=int, help="positions the model should reach")
    doctor.add_argument("--layer-type", help="one kind of layer, such as full_attention")
    output = doctor.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print the report as JSON")
    output.add_argument("--pairs", action="store_true", help="print one line for every pair")
    options = parser.parse_args(arguments)
    try:
        config = json.loads(options.config.read_text(encoding="utf-8"))
        report = diagnose(
            config, target_length=options.target_length, layer_type=options.layer_type
        )
    except OSError as error:
        return _refuse(f"{options.config}: {error.strerror}")
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        return _refuse(f"{options.config} is not JSON: {error}")
    except (ValueError, OverflowError) as error:
        return _refuse(f"{options.config}: {error}")
    if options.json:
        text = json.dumps(report.to_dict(), indent=2, allow_nan=False)
    else:
        text = report.to_text(every_pair=options.pairs)
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader, for example `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if report.warnings else 0


def _refuse(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
