"""User data in the form that each AMI family takes.

Source: pkg/providers/amifamily/bootstrap of karpenter-provider-aws@1.14.3. Karpenter merges its own part into what is
given here; what it cannot read keeps every node of the class from being launched, what the AMI cannot read keeps every
node from joining.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from email import message_from_string
from typing import Final

from components.spec.model_problems import join
from components.spec.problems import ABSENT, Problem

MOST_BYTES: Final = 16_384
"""EC2's limit, before base64; Karpenter's own part needs about 2,000 of it."""

_EXCERPT: Final = 60
_SHELL: Final = "#!"
_NODE_CONFIG: Final = "node.eks.aws/"


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}..."


def _mime(text: str) -> str | None:
    """What is wrong with MIME user data; None when nothing is."""
    if text != text.lstrip():
        return "MIME user data begins with its headers in the very first place"
    message = message_from_string(text)
    if "Content-Type" not in message:
        return "MIME user data needs a Content-Type header"
    if not message.get_content_type().startswith("multipart/"):
        return f"MIME user data must be multipart, not {message.get_content_type()}"
    boundary = message.get_boundary()
    if not boundary:
        return "the Content-Type header must name a boundary"
    last = text.removesuffix("\n").rstrip(" \t")
    if not message.is_multipart() or not (f"--{boundary}--" in text or last.endswith(f"\n--{boundary}")):
        return f"the parts must be separated by --{boundary} and end with --{boundary}--"
    return None


def _is_mime(text: str) -> bool:
    return text.lstrip().startswith(("MIME-Version:", "Content-Type:"))


def _amazon_linux(text: str) -> str | None:
    if _is_mime(text):
        return _mime(text)
    if text.lstrip().startswith(_SHELL):
        return None if text.startswith(_SHELL) else "a shell script begins with #! in the very first place"
    if _NODE_CONFIG in text and "kind:" in text:
        return None
    return "must be a shell script (first line #!/bin/bash), a NodeConfig of node.eks.aws, or MIME multipart"


def _amazon_linux_2(text: str) -> str | None:
    if _is_mime(text):
        return _mime(text)
    return None if text.startswith(_SHELL) else "must be a shell script (first line #!/bin/bash) or MIME multipart"


def _bottlerocket(text: str) -> str | None:
    if text.lstrip().startswith(_SHELL):
        return "must be TOML, not a shell script"
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return f"must be TOML ({error})"
    others = sorted(settings.keys() - {"settings"})
    if others:
        return f"everything stands below [settings], not {', '.join(others)}"
    return None if isinstance(settings.get("settings", {}), dict) else "settings must be a table"


def _windows(text: str) -> str | None:
    if "<powershell>" in text.lower() or "</powershell>" in text.lower():
        return "must be PowerShell without the <powershell> tags: Karpenter puts its own around it"
    return None


_FORMATS: Final = {
    "AL2": _amazon_linux_2,
    "AL2023": _amazon_linux,
    "Bottlerocket": _bottlerocket,
    "Windows2019": _windows,
    "Windows2022": _windows,
    "Windows2025": _windows,
}
_REMEDIES: Final = {
    "AL2": 'for example "#!/bin/bash"',
    "AL2023": 'for example "#!/bin/bash"',
    "Bottlerocket": 'for example "[settings.kernel]"',
}


def check_user_data(path: str, family: str | None, text: str | None) -> Iterator[Problem]:
    """Problems of user data for an AMI family."""
    where = join(path, "userData")
    if text is None or not text.strip():
        if family == "Custom":
            rule = "Custom gets nothing from Karpenter: without user data a node never joins the cluster"
            yield Problem(
                where, ABSENT if text is None else text, rule, ("write all that the AMI needs, or name its family")
            )
        return
    size = len(text.encode())
    if size > MOST_BYTES:
        yield Problem(where, f"{size} bytes", f"must be at most {MOST_BYTES} bytes", "move it into the AMI")
    form = _FORMATS.get(family or "")
    wrong = form(text) if form is not None else None
    if wrong is not None:
        remedy = _REMEDIES.get(family or "", "write the commands only")
        yield Problem(where, _excerpt(text), f"{family}: {wrong}", remedy)
