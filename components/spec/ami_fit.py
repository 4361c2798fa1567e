"""AMIs of a class: pinned, of its family, for its Kubernetes version, for the architectures that its pools ask for.

Source: pkg/providers/amifamily of karpenter-provider-aws@1.14.3; rules of the CRD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from components.spec.model_problems import join
from components.spec.node_class import NodeClassSpec
from components.spec.node_class_parts import AmiSelectorTerm
from components.spec.problems import ABSENT, Problem
from components.spec.selectors import given, name_that_is_no_name

FAMILIES: Final = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
    "windows2019": "Windows2019",
    "windows2022": "Windows2022",
    "windows2025": "Windows2025",
}
"""The family that each alias stands for."""

LAST_AL2: Final = (1, 32)
FIRST_WINDOWS2025: Final = (1, 35)
FIRST_RELEASES: Final = {
    (1, 32): date(2024, 12, 11),
    (1, 33): date(2025, 4, 23),
    (1, 34): date(2025, 8, 27),
    (1, 35): date(2025, 12, 17),
    (1, 36): date(2026, 4, 1),
}
"""Days on which Kubernetes itself came out (1.36: at the earliest); no AMI for a version is older."""

_MADE_FOR: Final = (
    (re.compile(r"amazon-eks-node-al2023-[a-z0-9_-]+?-(1\.[0-9]+)-"), "AL2023"),
    (re.compile(r"amazon-eks(?:-[a-z0-9]+)*-node-(1\.[0-9]+)-v"), "AL2"),
    (re.compile(r"/eks/optimized-ami/(1\.[0-9]+)/amazon-linux-2023/"), "AL2023"),
    (re.compile(r"/eks/optimized-ami/(1\.[0-9]+)/amazon-linux-2(?:-gpu|-arm64)?/"), "AL2"),
    (re.compile(r"bottlerocket-?/?aws-k8s-(1\.[0-9]+)"), "Bottlerocket"),
    (re.compile(r"Windows_Server-2019-[A-Za-z]+-[A-Za-z]+-EKS_Optimized-(1\.[0-9]+)"), "Windows2019"),
    (re.compile(r"Windows_Server-2022-[A-Za-z]+-[A-Za-z]+-EKS_Optimized-(1\.[0-9]+)"), "Windows2022"),
    (re.compile(r"Windows_Server-2025-[A-Za-z]+-[A-Za-z]+-EKS_Optimized-(1\.[0-9]+)"), "Windows2025"),
)
"""How AWS names its AMIs for EKS and their parameters: the Kubernetes version in the name, and the family."""

KUBELET_SKEW: Final = 3
"""Minor versions that a kubelet may be behind the API server."""

_DATED: Final = re.compile(r"^v(20[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])\Z")
_SEMANTIC: Final = re.compile(r"^v?[0-9]+\.[0-9]+\.[0-9]+\Z")
_OWNERS: Final = re.compile(r"^([0-9]{12}|self|amazon|aws-marketplace)\Z")
_COMMAND: Final = "python -m ops ami resolve --stack <stack> finds ids"


def minor(kubernetes_version: str) -> tuple[int, int]:
    """Major and minor version as numbers: "1.36" -> (1, 36)."""
    parts = kubernetes_version.split(".")
    return int(parts[0]), int(parts[1])


def _dated_problem(where: str, alias: str, version: str, kubernetes_version: str) -> Problem | None:
    match = _DATED.match(version)
    if match is None:
        rule = "must be a dated version of the family, vYYYYMMDD"
        return Problem(where, alias, rule, f"for example al2023@v20261101; {_COMMAND}")
    try:
        built = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return Problem(where, alias, "this date never was", "check day and month")
    first = FIRST_RELEASES.get(minor(kubernetes_version))
    if first is not None and built < first:
        rule = f"is older than Kubernetes {kubernetes_version} ({first}), so no such AMI exists for it"
        return Problem(where, alias, rule, f"take a release after {first}; {_COMMAND}")
    return None


def _version_problem(where: str, alias: str, kubernetes_version: str) -> Problem | None:
    family, _, version = alias.partition("@")
    if family.startswith("windows"):
        if version != "latest":
            return Problem(
                where, alias, ("the Windows aliases know only latest"), f"write {family}@latest, or pin by `amis`"
            )
        rule = "cannot be pinned: nodes are replaced by themselves whenever AWS releases an AMI"
        return Problem(where, alias, rule, "pin by `amis` with the id", "warning")
    if version == "latest":
        rule = "is not pinned: nodes are replaced by themselves, untested, whenever AWS releases an AMI"
        return Problem(where, alias, rule, f"write a dated version, or ids in `amis`; {_COMMAND}")
    if family == "bottlerocket":
        if _SEMANTIC.match(version):
            return None
        rule = "must be a version of Bottlerocket, vX.Y.Z"
        return Problem(where, alias, rule, f"for example bottlerocket@v1.50.0; {_COMMAND}")
    return _dated_problem(where, alias, version, kubernetes_version)


def _alias_problems(where: str, alias: str, kubernetes_version: str) -> Iterator[Problem]:
    family, at, version = alias.partition("@")
    if family not in FAMILIES or not at or not version or "@" in version:
        rule = f"must be family@version with one of {', '.join(FAMILIES)}"
        yield Problem(where, alias, rule, "for example al2023@v20261101")
        return
    if family == "al2":
        return  # told once, by the family
    problem = _version_problem(where, alias, kubernetes_version)
    if problem is not None:
        yield problem


def _term_problems(path: str, term: AmiSelectorTerm, kubernetes_version: str) -> Iterator[Problem]:
    fields = given(term)
    for alone in ("id", "alias", "ssmParameter"):
        others = sorted(fields.keys() - {alone})
        if alone in fields and others:
            yield Problem(
                path, fields, f"{alone} stands alone in its term, not with {', '.join(others)}", ("keep one of them")
            )
    if not fields.keys() & {"alias", "id", "name", "ssmParameter", "tags"}:
        rule = "must name at least one of alias, id, name, ssmParameter, tags"
        yield Problem(path, fields or ABSENT, rule, "add one, or remove the term")
    if term.alias is not None:
        yield from _alias_problems(join(path, "alias"), term.alias, kubernetes_version)
    if term.owner is not None and _OWNERS.match(term.owner) is None:
        rule = "must be an account id of 12 digits, self, amazon or aws-marketplace"
        yield Problem(join(path, "owner"), term.owner, rule, "for example self")
    for key, value in (term.tags or {}).items():
        if not key or not value:
            rule = "keys and values of tags must not be empty"
            yield Problem(join(path, "tags"), {key: value}, rule, 'write "*" to match any value')
    yield from name_that_is_no_name(path, fields)
    yield from _pin_problems(path, term)


def _pin_problems(path: str, term: AmiSelectorTerm) -> Iterator[Problem]:
    rule = "is not pinned: another AMI that matches later replaces the nodes, untested"
    remedy = f"give the ids in `amis`; {_COMMAND}"
    if term.name is not None and term.name.strip("*?") == "":
        yield Problem(join(path, "name"), term.name, "matches every AMI", remedy)
    elif term.name is not None and set(term.name) & {"*", "?"}:
        yield Problem(join(path, "name"), term.name, rule, remedy, "warning")
    elif term.ssm_parameter is not None:
        found = term.ssm_parameter
        yield Problem(join(path, "ssmParameter"), found, "can come to name another AMI", remedy, "warning")
    elif term.tags is not None and term.name is None:
        yield Problem(join(path, "tags"), term.tags, rule, remedy, "warning")


def _made_for_problems(path: str, text: str, family: str | None, kubernetes_version: str) -> Iterator[Problem]:
    """An AMI of AWS whose name says that it is made for another family or another Kubernetes version."""
    for pattern, made_for in _MADE_FOR:
        found = pattern.search(text)
        if found is None:
            continue
        if family not in {None, made_for, "Custom"}:
            rule = f"names an AMI of {made_for}, and the class starts it as {family}: its nodes never join"
            yield Problem(path, text, rule, f"write amiFamily: {made_for}, or name an AMI of {family}")
        ours, theirs = minor(kubernetes_version), minor(found[1])
        if theirs > ours or ours[1] - theirs[1] > KUBELET_SKEW:
            rule = f"names an AMI for Kubernetes {found[1]}, which does not work with {kubernetes_version}"
            yield Problem(path, text, rule, f"name one for {kubernetes_version}; {_COMMAND}")
        elif theirs < ours:
            rule = f"names an AMI for Kubernetes {found[1]}, the cluster has {kubernetes_version}"
            yield Problem(path, text, rule, f"name one for {kubernetes_version}; {_COMMAND}", "warning")
        return


def _family_problems(path: str, spec: NodeClassSpec, family: str | None, kubernetes_version: str) -> Iterator[Problem]:
    where = join(path, "amiFamily")
    aliases = [term.alias for term in spec.ami_selector_terms or () if term.alias is not None]
    for alias in aliases:
        expected = FAMILIES.get(alias.partition("@")[0])
        if expected is not None and spec.ami_family not in {None, expected, "Custom"}:
            yield Problem(
                where, spec.ami_family, f"does not fit the alias {alias}", f"write {expected}, or leave it out"
            )
    version = minor(kubernetes_version)
    if "AL2" in {family, *(FAMILIES.get(alias.partition("@")[0]) for alias in aliases)} and version > LAST_AL2:
        rule = f"Amazon Linux 2 has no EKS AMI for Kubernetes {kubernetes_version}: the last one was 1.32"
        yield Problem(where, spec.ami_family or "AL2", rule, "write AL2023 or Bottlerocket, with AMIs of that family")
    if family == "Windows2025" and version < FIRST_WINDOWS2025:
        rule = f"Windows Server 2025 needs Kubernetes 1.35, this is {kubernetes_version}"
        yield Problem(where, family, rule, "write Windows2022")


def check_amis(path: str, spec: NodeClassSpec, family: str | None, kubernetes_version: str) -> Iterator[Problem]:
    """Problems of the AMIs of a class.

    Args:
        path: Path of the class.
        spec: The class.
        family: The family that it has in the end.
        kubernetes_version: Version of the cluster, such as "1.36".
    """
    terms = spec.ami_selector_terms
    if spec.amis is None and terms is None:
        rule = "the class names no AMI, and a default would not be pinned"
        yield Problem(join(path, "amis"), ABSENT, rule, f"give an id for each architecture; {_COMMAND}")
    elif spec.amis is not None and terms is not None:
        rule = "is refused together with amis"
        yield Problem(join(path, "amiSelectorTerms"), [given(term) for term in terms], rule, "keep one of them")
    if spec.amis is not None and not given(spec.amis):
        yield Problem(join(path, "amis"), {}, "must name at least one AMI", f"add amd64 or arm64; {_COMMAND}")
    elif spec.amis is not None and spec.amis.amd64 is None and (family or "").startswith("Windows"):
        rule = "must name at least one AMI for amd64: Windows nodes run on nothing else"
        yield Problem(join(path, "amis"), given(spec.amis), rule, f"add amd64; {_COMMAND}")
    where = join(path, "amiSelectorTerms")
    for index, term in enumerate(terms or ()):
        yield from _term_problems(join(where, index), term, kubernetes_version)
        for field, text in (("name", term.name), ("ssmParameter", term.ssm_parameter)):
            yield from _made_for_problems(join(where, index, field), text or "", family, kubernetes_version)
    if len(terms or ()) > 1 and any(term.alias is not None for term in terms or ()):
        yield Problem(
            where, [given(term) for term in terms or ()], "an alias stands alone", ("keep the alias only, or no alias")
        )
    yield from _family_problems(path, spec, family, kubernetes_version)


def architectures(spec: NodeClassSpec, family: str | None) -> frozenset[str] | None:
    """Architectures that the class has AMIs for; None when its terms do not tell."""
    if family is not None and family.startswith("Windows"):
        return frozenset({"amd64"})
    if spec.amis is not None:
        return frozenset(given(spec.amis))
    if any(term.alias is not None for term in spec.ami_selector_terms or ()):
        return frozenset({"amd64", "arm64"})
    return None
