"""Wires ministack, moto and the gap layers into one server on loopback."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import ministack.app
from hypercorn.asyncio import serve  # type: ignore[import-not-found]
from hypercorn.config import Config  # type: ignore[import-not-found]

from lab.emulator import delivery, ec2, eks, gateway, iam_rules, image_store, pricing, zonal_shift
from lab.emulator.instance_events import InstanceEvents
from lab.emulator.options import Options
from lab.emulator.prices import Prices, read_tables
from lab.emulator.routes import Routes
from lab.emulator.state import Lab

_KEEP_ALIVE_SECONDS = 75


def build(options: Options) -> Routes:
    """The whole application, with nothing listening yet."""
    lab = Lab(options)
    prices = Prices(read_tables(options.pricing))
    events = InstanceEvents(lab)
    gateway.install(lab)
    delivery.install(lab)
    image_store.install(lab)
    iam_rules.seed_managed_policies()
    handlers = ministack.app.SERVICE_HANDLERS
    handlers["ec2"] = ec2.make_handler(lab, prices, events)
    handlers["eks"] = eks.make_handler(lab, events)
    handlers["iam"] = iam_rules.wrap(lab, handlers["iam"])
    handlers["pricing"] = pricing.make_handler(prices)
    handlers["arc-zonal-shift"] = zonal_shift.handle
    return Routes(lab, events, ministack.app.app)


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Connections that are still open when the server stops are no news."""
    if not isinstance(context.get("exception"), asyncio.CancelledError):
        loop.default_exception_handler(context)


def run(options: Options) -> None:
    """Serve until SIGTERM or SIGINT."""
    application = build(options)
    config = Config()
    config.bind = [f"127.0.0.1:{options.port}"]
    config.keep_alive_timeout = _KEEP_ALIVE_SECONDS
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    config.accesslog = None

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_quietly)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await serve(application, config, shutdown_trigger=stop.wait)

    asyncio.run(main())
