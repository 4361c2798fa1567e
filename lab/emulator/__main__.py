"""`python -m lab.emulator`: the emulated AWS in the foreground."""

from __future__ import annotations

from lab.emulator import environment, options


def main() -> None:
    """Set the environment first: ministack and moto read it when they are imported."""
    given = options.parse()
    environment.prepare(given)
    from lab.emulator import server  # noqa: PLC0415

    server.run(given)


if __name__ == "__main__":
    main()
