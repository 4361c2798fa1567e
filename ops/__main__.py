"""Entry point: `python -m ops`."""

from ops.cli import run

if __name__ == "__main__":
    run()
