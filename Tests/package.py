#!/usr/bin/env python3
"""Reads from Package.swift which modules a target needs."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Package:
    """The targets of Package.swift."""

    def __init__(self, folder=ROOT):
        # A scratch folder of its own, since a build locks the package's.
        with tempfile.TemporaryDirectory() as scratch:
            command = ["swift", "package", "--package-path", folder, "--scratch-path", scratch, "dump-package"]
            everything = {name: value for name, value in os.environ.items() if name != "SLUICE_TARGETS"}
            output = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=everything).stdout
        targets = json.loads(output)["targets"]
        # Of a sanitizer's build only those that were built.
        built = os.environ.get("SLUICE_TARGETS", "").split()
        tests = [target["name"] for target in targets if target["type"] == "test"]
        self.test_targets = [name for name in tests if name in built or not built]
        self.paths = {
            target["name"]: target.get("path", f"Sources/{target['name']}")
            for target in targets
            if target["type"] != "test"
        }
        self.dependencies = {
            target["name"]: [next(iter(entry.values()))[0] for entry in target["dependencies"]]
            for target in targets
        }

    def modules(self, names):
        """Returns the targets and all that they need, each after what it needs."""
        ordered = []

        def add(name):
            if name in ordered:
                return
            if name not in self.dependencies:
                sys.exit(f"package.py: Package.swift has no target {name}")
            for dependency in self.dependencies[name]:
                add(dependency)
            ordered.append(name)

        for name in names:
            add(name)
        return ordered

    def part(self, names, number, count):
        """Returns the test targets of one of several parts, which have about the same amount of code."""
        parts = [[] for _ in range(count)]
        sizes = {name: sum(file.stat().st_size for file in (ROOT / "Tests" / name).rglob("*.swift")) for name in names}
        for name in sorted(names, key=lambda name: (-sizes[name], name)):
            min(parts, key=lambda part: sum(sizes[other] for other in part)).append(name)
        return parts[number - 1]

    def tests(self, wanted, unwanted):
        """Returns the test targets that need the module `wanted` and do not need `unwanted`; None is no condition."""
        self.modules([name for name in (wanted, unwanted) if name])

        def is_found(needed):
            return (wanted is None or wanted in needed) and (unwanted is None or unwanted not in needed)

        return [name for name in self.test_targets if is_found(self.modules([name]))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    targets = commands.add_parser("targets", help="all targets of a package")
    targets.add_argument("folder", metavar="FOLDER")
    modules = commands.add_parser("modules", help="targets and all modules that they need, in the order of their imports")
    modules.add_argument("targets", nargs="+", metavar="TARGET")
    tests = commands.add_parser("tests", help="the test targets")
    tests.add_argument("--with", dest="wanted", metavar="MODULE", help="only those that need MODULE")
    tests.add_argument("--without", dest="unwanted", metavar="MODULE", help="only those that do not need MODULE")
    tests.add_argument("--part", metavar="NUMBER/COUNT", help="only one of COUNT parts of about the same size")
    tests.add_argument("--regex", action="store_true", help="as an expression for the test library's --filter and --skip")
    arguments = parser.parse_args()

    if arguments.command == "targets":
        print("\n".join(Package(arguments.folder).dependencies))
        return
    package = Package()
    if arguments.command == "modules":
        print("\n".join(package.modules(arguments.targets)))
        return
    names = package.tests(arguments.wanted, arguments.unwanted)
    if arguments.part:
        names = package.part(names, *map(int, arguments.part.split("/")))
    if names:
        print("^(" + "|".join(names) + r")\." if arguments.regex else "\n".join(names))


if __name__ == "__main__":
    main()
