"""Environment variables that ministack and moto read when they are imported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.emulator.options import Options

ROOT_KEY = "test"
"""Access key id and secret of the account's root: the deployer's credentials in the lab."""

_FOREIGN = ("AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_CONTAINER_CREDENTIALS_FULL_URI")


def prepare(options: Options) -> None:
    """Set this process's environment; call it before the first import of ministack or moto."""
    options.data.mkdir(parents=True, exist_ok=True)
    for name in _FOREIGN:
        os.environ.pop(name, None)
    os.environ.update(
        {
            "AUTH": "true",
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(options.port),
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "LOG_LEVEL": os.environ.get("LOG_LEVEL", "WARNING"),
            "S3_DATA_DIR": str(options.data / "s3"),
            # No container of the user's is ever looked at, let alone reaped.
            "DOCKER_HOST": "unix:///nonexistent",
            "MINISTACK_ACCOUNT_ID": options.account_id,
            "MINISTACK_REGION": options.region,
            "MOTO_ACCOUNT_ID": options.account_id,
            "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",
            "AWS_ACCESS_KEY_ID": ROOT_KEY,
            "AWS_SECRET_ACCESS_KEY": ROOT_KEY,
            "AWS_DEFAULT_REGION": options.region,
        }
    )
