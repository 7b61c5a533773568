"""The processors that wheels are for, as `uname -m` says them."""

import re


def machine_of(file):
    """That of a wheel's name; "" when it is for all."""
    found = re.search(r"_(x86_64|aarch64)\.whl$", file)
    return found.group(1) if found else ""


def for_machine(wheels, machine):
    """Of several rows of a package that for the machine.  One row alone is for all: what is taken from it is data."""
    rows = {}
    for wheel in wheels:
        key = wheel.name, wheel.version, wheel.purpose
        if key not in rows or machine_of(wheel.file) == machine:
            rows[key] = wheel
    return list(rows.values())
