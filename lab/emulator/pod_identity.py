"""EKS Pod Identity: from a pod's service account to credentials, as the EKS Auth service decides it."""

from __future__ import annotations

import base64
import binascii
import datetime
import json
import time
import uuid
from typing import TYPE_CHECKING, Any

from ministack.core import iam_evaluator
from ministack.services import eks, sts

from lab.emulator import profiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.emulator.state import Lab

SERVICE = "pods.eks.amazonaws.com"
LIFE_SECONDS = 6 * 3600
_FIELDS = ("clusterName", "namespace", "serviceAccount", "podName", "podUid")


class PodIdentityError(Exception):
    """No credentials for this pod.

    Args:
        status: HTTP status, 400-499.
        code: exception's name.
        text: what is missing or denied.
    """

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code, self.text = status, code, text


def assume(lab: Lab, body: Mapping[str, Any], region: str) -> dict[str, Any]:
    """Credentials of the role that is associated with a pod's service account.

    Args:
        lab: the running emulator.
        body: clusterName, namespace, serviceAccount, podName, podUid.
        region: the cluster's region.

    Raises:
        PodIdentityError: no cluster, association or role, or a trust policy that does not let EKS assume it.
    """
    missing = [field for field in _FIELDS if not body.get(field)]
    if missing:
        raise PodIdentityError(400, "InvalidParameterException", f"missing: {', '.join(missing)}")
    cluster = eks._clusters.get(body["clusterName"])  # noqa: SLF001
    if cluster is None:
        text = f"No cluster found for name: {body['clusterName']} in {region}."
        raise PodIdentityError(404, "ResourceNotFoundException", text)
    association = _association(body)
    role = profiles.role_by_arn(association["roleArn"])
    if role is None:
        text = f"Role {association['roleArn']} of association {association['associationId']} does not exist."
        raise PodIdentityError(404, "ResourceNotFoundException", text)
    tags = {} if association.get("disableSessionTags") else _session_tags(cluster["arn"], body)
    _check_trust(lab, role, tags, cluster["arn"], region)
    return _session(role, tags, body, association)


def _association(body: Mapping[str, Any]) -> dict[str, Any]:
    for key, found in eks._pod_identity_associations.items():  # noqa: SLF001
        if key.startswith(f"{body['clusterName']}\x00") and (found["namespace"], found["serviceAccount"]) == (
            body["namespace"],
            body["serviceAccount"],
        ):
            return dict(found)
    text = (
        f"No pod identity association found for service account {body['namespace']}/{body['serviceAccount']} "
        f"on cluster {body['clusterName']}."
    )
    raise PodIdentityError(404, "ResourceNotFoundException", text)


def _session_tags(cluster_arn: str, body: Mapping[str, Any]) -> dict[str, str]:
    return {
        "eks-cluster-arn": cluster_arn,
        "eks-cluster-name": body["clusterName"],
        "kubernetes-namespace": body["namespace"],
        "kubernetes-service-account": body["serviceAccount"],
        "kubernetes-pod-name": body["podName"],
        "kubernetes-pod-uid": body["podUid"],
    }


def _check_trust(lab: Lab, role: Mapping[str, Any], tags: Mapping[str, str], cluster_arn: str, region: str) -> None:
    for action in ("sts:AssumeRole", *(["sts:TagSession"] if tags else [])):
        context = iam_evaluator.EvalContext(
            principal_arn=SERVICE,
            principal_type="Service",
            principal_account="",
            action=action,
            resource_arn=role["Arn"],
            region=region,
            secure_transport=True,
            request_tags=dict(tags),
            tag_keys=list(tags),
            service_context={
                "aws:sourcearn": cluster_arn,
                "aws:sourceaccount": lab.options.account_id,
            },
        )
        if not service_trusted(role.get("AssumeRolePolicyDocument") or "{}", SERVICE, context):
            text = (
                f"Role {role['Arn']}: its trust policy does not let {SERVICE} perform {action} "
                f"with the session tags {json.dumps(dict(tags), sort_keys=True)}"
            )
            lab.deny(SERVICE, action, role["Arn"], text)
            raise PodIdentityError(403, "AccessDeniedException", text)


def service_trusted(document: str, service: str, context: Any) -> bool:
    """Whether a trust policy lets an AWS service do the context's action; a deny wins."""
    statements = json.loads(document).get("Statement", [])
    allowed = False
    for statement in statements if isinstance(statements, list) else [statements]:
        principal = statement.get("Principal", {})
        if principal != "*" and not iam_evaluator._service_principal_matches(principal, service):  # noqa: SLF001
            continue
        parsed = iam_evaluator.parse_policy_document({"Statement": [{**statement, "Resource": "*"}]})
        decision = iam_evaluator.evaluate(context, [parsed]).decision
        if decision == "Deny":
            return False
        allowed = allowed or decision == "Allow"
    return allowed


def _session(
    role: Mapping[str, Any], tags: Mapping[str, str], body: Mapping[str, Any], association: Mapping[str, Any]
) -> dict[str, Any]:
    session = f"eks-{body['clusterName']}-{body['podName']}"[:27] + f"-{uuid.uuid4()}"
    account = role["Arn"].split(":")[4]
    arn = f"arn:aws:sts::{account}:assumed-role/{role['RoleName']}/{session}"
    credentials = {
        "accessKeyId": str(sts._gen_session_access_key()),  # noqa: SLF001
        "secretAccessKey": str(sts._gen_secret()),  # noqa: SLF001
        "sessionToken": str(sts._gen_session_token()),  # noqa: SLF001
    }
    expires = time.time() + LIFE_SECONDS
    sts.register_session(
        credentials["accessKeyId"],
        {
            "Arn": arn,
            "UserId": f"{role['RoleId']}:{session}",
            "SecretAccessKey": credentials["secretAccessKey"],
            "SessionToken": credentials["sessionToken"],
            "Expiration": expires,
            "AccountId": account,
            "PrincipalType": "AssumedRole",
            "SourceAccessKeyId": SERVICE,
            "SourcePrincipalArn": SERVICE,
            "SessionTags": [{"Key": k, "Value": v} for k, v in tags.items()],
            "SessionPolicies": None,
        },
    )
    moment = datetime.datetime.fromtimestamp(expires, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "credentials": {**credentials, "expiration": moment},
        "assumedRoleUser": {"arn": arn, "assumeRoleId": f"{role['RoleId']}:{session}"},
        "audience": SERVICE,
        "subject": {"namespace": body["namespace"], "serviceAccount": body["serviceAccount"]},
        "podIdentityAssociation": {k: association[k] for k in ("associationArn", "associationId")},
    }


def claims_of(token: str, cluster: str) -> dict[str, str]:
    """The pod that a projected service account token belongs to; its signature is the API server's matter.

    Raises:
        PodIdentityError: not a token of a pod's service account.
    """
    try:
        payload = token.removeprefix("Bearer ").split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["kubernetes.io"]
        return {
            "clusterName": cluster,
            "namespace": claims["namespace"],
            "serviceAccount": claims["serviceaccount"]["name"],
            "podName": claims["pod"]["name"],
            "podUid": claims["pod"]["uid"],
        }
    except (IndexError, KeyError, TypeError, ValueError, binascii.Error) as error:
        text = "the token is not one of a pod's service account"
        raise PodIdentityError(400, "InvalidTokenException", text) from error


def agent_document(found: Mapping[str, Any]) -> dict[str, str]:
    """The same credentials as the Pod Identity Agent hands them to an SDK."""
    credentials = found["credentials"]
    return {
        "AccessKeyId": credentials["accessKeyId"],
        "SecretAccessKey": credentials["secretAccessKey"],
        "Token": credentials["sessionToken"],
        "AccountId": found["assumedRoleUser"]["arn"].split(":")[4],
        "Expiration": credentials["expiration"],
    }
