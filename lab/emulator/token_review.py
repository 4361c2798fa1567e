"""Kubernetes' webhook token authenticator for the tokens of `aws eks get-token`."""

from __future__ import annotations

import base64
import binascii
import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from ministack.core import iam_evaluator, sigv4
from ministack.core.responses import _account_from_sts_session
from ministack.services import eks

from lab.emulator import eks_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lab.emulator.state import Lab

_PREFIX = "k8s-aws-v1."
_VALID_SECONDS = 15 * 60
_SKEW_SECONDS = 5 * 60
_EMPTY_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_ADMIN_GROUP = "system:masters"
POLICY_GROUP_PREFIX = "eks-access-policy:"
"""Group of a caller with one of EKS's access policies; a lab's API server binds it, EKS has its own authorizer."""


def review(lab: Lab, document: Mapping[str, Any], cluster: str = "") -> dict[str, Any]:
    """Answer a TokenReview.

    Args:
        lab: the running emulator.
        document: the TokenReview that the API server sent.
        cluster: the cluster's name; empty for whichever cluster the token was signed for.
    """
    token = str((document.get("spec") or {}).get("token") or "")
    user = _user(lab, token, cluster)
    status: dict[str, Any] = {"authenticated": user is not None}
    if user:
        status["user"] = user
    return {
        "apiVersion": document.get("apiVersion", "authentication.k8s.io/v1"),
        "kind": "TokenReview",
        "status": status,
    }


def _user(lab: Lab, token: str, cluster: str) -> dict[str, Any] | None:
    request = _request_of(token)
    if request is None:
        return None
    names = [cluster] if cluster else list(eks._clusters.keys())  # noqa: SLF001
    for name in names:
        credential = _verified(lab, request, name)
        if credential:
            return _identity(name, credential)
    return None


def _request_of(token: str) -> tuple[Any, dict[str, str]] | None:
    if not token.startswith(_PREFIX):
        return None
    encoded = token[len(_PREFIX) :]
    try:
        url = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    return (parts, query) if query.get("Action") == "GetCallerIdentity" else None


def _verified(lab: Lab, request: tuple[Any, dict[str, str]], cluster: str) -> Any:
    """The credential whose signature over this cluster's name is in the token; None when there is none."""
    parts, query = request
    scope = query.get("X-Amz-Credential", "").split("/")
    signed = query.get("X-Amz-SignedHeaders", "").lower().split(";")
    if len(scope) != 5 or "x-k8s-aws-id" not in signed or not _timely(query.get("X-Amz-Date", "")):
        return None
    key, day, region, service, _ = scope
    account = iam_evaluator.find_iam_access_key_account(key) or _account_from_sts_session(key)
    credential = iam_evaluator.resolve_credential(
        key, account or lab.options.account_id, query.get("X-Amz-Security-Token")
    )
    if isinstance(credential, iam_evaluator.CredentialResolutionError):
        return None
    canonical = sigv4.build_canonical_request(
        "GET",
        parts.path or "/",
        {"host": parts.netloc, "x-k8s-aws-id": cluster},
        {name: [value] for name, value in query.items()},
        ";".join(signed),
        payload_hash=_EMPTY_BODY,
    )
    text = sigv4.build_string_to_sign(query["X-Amz-Date"], day, region, service, canonical)
    expected = sigv4.calculate_signature(credential.secret_access_key, day, region, service, text)
    return credential if sigv4.signatures_match(expected, query.get("X-Amz-Signature", "")) else None


def _timely(stamp: str) -> bool:
    try:
        signed = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.UTC)
    except ValueError:
        return False
    age = (datetime.datetime.now(datetime.UTC) - signed).total_seconds()
    return -_SKEW_SECONDS < age < _VALID_SECONDS


def _identity(cluster: str, credential: Any) -> dict[str, Any] | None:
    arn = credential.principal_arn
    session = arn.rpartition("/")[2]
    for principal in _principals(arn):
        entry = eks._access_entries.get(eks._ae_key(cluster, principal))  # noqa: SLF001
        if entry:
            username = (entry.get("username") or arn).replace("{{SessionName}}", session)
            username = username.replace("{{AccountID}}", credential.account_id)
            groups = [*entry.get("kubernetesGroups", []), *_policy_groups(cluster, principal)]
            return {"username": username, "uid": credential.principal_id, "groups": groups}
    return None


def _principals(arn: str) -> Iterator[str]:
    yield arn
    role = eks._role_arn_from_assumed_role(arn)  # noqa: SLF001
    if role:
        yield role


def _policy_groups(cluster: str, principal: str) -> Iterator[str]:
    prefix = eks._ap_key(cluster, principal, "")  # noqa: SLF001
    for key, found in list(eks._access_policies.items()):  # noqa: SLF001
        if not key.startswith(prefix):
            continue
        name = found["policyArn"].removeprefix(eks_catalogue.ACCESS_POLICY_PREFIX)
        cluster_wide = found["accessScope"]["type"] == "cluster"
        if name == "AmazonEKSClusterAdminPolicy" and cluster_wide:
            yield _ADMIN_GROUP
        for namespace in [""] if cluster_wide else found["accessScope"]["namespaces"]:
            yield f"{POLICY_GROUP_PREFIX}{name}" + (f":{namespace}" if namespace else "")
