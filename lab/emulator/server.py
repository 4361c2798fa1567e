"""Wires ministack, moto and the gap layers into one server on loopback."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any

import ministack.app
from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.core.responses import get_account_id  # noqa: F401
from ministack.services import eks as eks_service

from lab.emulator import delivery, ec2, eks, eks_clusters, gateway, iam_rules, image_store, pricing
from lab.emulator.instance_events import InstanceEvents
from lab.emulator.prices import Prices, read_tables
from lab.emulator.routes import Routes
from lab.emulator.state import Lab

if TYPE_CHECKING:
    from urllib.parse import unquote  # noqa: F401

    from lab.emulator.ec2 import Answer
    from lab.emulator.options import Options


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
    handlers["arc-zonal-shift"] = _zonal_shift
    return Routes(lab, events, ministack.app.app)


async def _zonal_shift(_m: str, path: str, _h: dict[str, str], _b: bytes, _q: dict[str, Any]) -> Answer:
    from urllib.parse import unquote  # noqa: PLC0415

    arn = unquote(path.partition("/managedresources/")[2])
    found = eks_clusters.zonal_shift(eks_service._clusters, arn)  # noqa: SLF001
    if found:
        return 200, {"Content-Type": "application/json"}, found
    body = b'{"message": "The resource is not managed by ARC zonal shift"}'
    headers = {"Content-Type": "application/json", "x-amzn-errortype": "ResourceNotFoundException"}
    return 404, headers, body


def run(options: Options) -> None:
    """Serve until SIGTERM or SIGINT."""
    application = build(options)
    config = Config()
    config.bind = [f"127.0.0.1:{options.port}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    config.accesslog = None

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await serve(application, config, shutdown_trigger=stop.wait)  # type: ignore[arg-type]

    asyncio.run(main())
