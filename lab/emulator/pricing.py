"""The Price List API's GetProducts for EC2, from the same table as the fleet's choices."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from lab.emulator.prices import Prices

if TYPE_CHECKING:
    from lab.emulator.ec2 import Answer, Handler

_PAGE = 100
_TERM = "JRTCKXETXF"
_RATE = "6YS6EN2CT7"
_CONTENT_TYPE = "application/x-amz-json-1.1"


def make_handler(prices: Prices) -> Handler:
    """The coroutine that answers `pricing`."""

    async def handle(_m: str, _p: str, headers: dict[str, str], body: bytes, _q: dict[str, Any]) -> Answer:
        action = headers.get("x-amz-target", "").rpartition(".")[2]
        # ministack adds to the headers that it gets, so each answer has its own.
        kind = {"Content-Type": _CONTENT_TYPE}
        if action != "GetProducts":
            return 400, kind, json.dumps({"__type": "InvalidParameterException", "Message": action}).encode()
        return 200, kind, json.dumps(products(prices, json.loads(body or b"{}"))).encode()

    return handle


def products(prices: Prices, asked: dict[str, Any]) -> dict[str, Any]:
    """One page of price list entries."""
    wanted = {item["Field"]: item["Value"] for item in asked.get("Filters", [])}
    region = wanted.get("regionCode", "us-east-1")
    family = wanted.get("productFamily", "")
    rows = [
        (kind, price)
        for kind, price in sorted(prices.table(region).items())
        if _fits(kind, family) and wanted.get("instanceType", kind) == kind
    ]
    start = int(asked.get("NextToken") or 0)
    page = rows[start : start + int(asked.get("MaxResults") or _PAGE)]
    answer: dict[str, Any] = {
        "FormatVersion": "aws_v1",
        "PriceList": [json.dumps(_entry(kind, price, region)) for kind, price in page],
    }
    if start + len(page) < len(rows):
        answer["NextToken"] = str(start + len(page))
    return answer


def _fits(kind: str, family: str) -> bool:
    metal = ".metal" in kind
    return not family or metal == ("bare metal" in family)


def _entry(kind: str, price: float, region: str) -> dict[str, Any]:
    sku = f"LAB{zlib.crc32(f'{region}/{kind}'.encode()):010d}"
    offer, rate = f"{sku}.{_TERM}", f"{sku}.{_TERM}.{_RATE}"
    metal = ".metal" in kind
    attributes = {
        "instanceType": kind,
        "regionCode": region,
        "operatingSystem": "Linux",
        "tenancy": "Dedicated" if metal else "Shared",
        "capacitystatus": "Used",
        "preInstalledSw": "NA",
        "marketoption": "OnDemand",
        "servicecode": "AmazonEC2",
    }
    family = "Compute Instance (bare metal)" if metal else "Compute Instance"
    dimension = {"unit": "Hrs", "rateCode": rate, "pricePerUnit": {"USD": f"{price:.10f}"}}
    return {
        "product": {"productFamily": family, "attributes": attributes, "sku": sku},
        "serviceCode": "AmazonEC2",
        "terms": {"OnDemand": {offer: {"sku": sku, "priceDimensions": {rate: dimension}}}},
    }
