"""What every component does with its arguments before it makes a resource."""

from collections.abc import Iterable, Mapping
from typing import Any

import pulumi

from components.spec.problems import ABSENT, Problem


def check_args(args_type: Any, args: Mapping[str, Any], problems: Iterable[Problem] = ()) -> None:
    """Refuse unknown and missing keys, together with everything else that is wrong.

    A TypedDict takes any key when the program runs; only a type checker would see the typo.

    Args:
        args_type: The component's TypedDict.
        args: What the caller passed.
        problems: What the component found wrong with the values; paths begin at a key of the arguments.

    Raises:
        pulumi.InputPropertiesError: With every problem and its property path.
    """
    found = key_problems(args_type, args)
    errors = [problem for problem in (*found, *problems) if problem.severity == "error"]
    if errors:
        raise pulumi.InputPropertiesError(
            "\n".join(problem.line() for problem in errors),
            [{"property_path": problem.path, "reason": problem.line()} for problem in errors],
        )


def key_problems(args_type: Any, args: Mapping[str, Any], prefix: str = "") -> list[Problem]:
    """Keys that a TypedDict does not know, and keys that it needs.

    Args:
        args_type: The TypedDict.
        args: What the caller passed.
        prefix: Path of ``args``, with a dot at its end.
    """
    known = args_type.__required_keys__ | args_type.__optional_keys__
    choices = ", ".join(sorted(known))
    unknown = [
        Problem(f"{prefix}{key}", args[key], f"must be an argument of {args_type.__name__}", f"use one of {choices}")
        for key in sorted(set(args) - known)
    ]
    missing = sorted(args_type.__required_keys__ - set(args))
    return unknown + [Problem(f"{prefix}{key}", ABSENT, "must be given", f"pass {key}") for key in missing]


def child_options(
    parent: pulumi.ComponentResource, opts: pulumi.ResourceOptions | None, *depends_on: pulumi.Resource
) -> pulumi.ResourceOptions:
    """Options of a child: it waits for what its component was told to wait for, and for some of its siblings.

    The engine does not pass a component's own ``depends_on`` to the component's children.

    Args:
        parent: The component.
        opts: The component's options.
        depends_on: Resources that the child needs as well.
    """
    mine = pulumi.ResourceOptions(parent=parent, depends_on=list(depends_on))
    inherited = pulumi.ResourceOptions(depends_on=opts.depends_on if opts is not None else None)
    return pulumi.ResourceOptions.merge(mine, inherited)
