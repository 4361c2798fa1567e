"""The base of the configuration models, and how their fields document themselves.

The models are the product's documentation: the reference pages in docs/ and the JSON Schema for editors are generated
from what each field says here, and the checker's messages quote it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from components.spec.patterns import LABEL_VALUE, QUANTITY

NODE_POOL_CRD = "karpenter.sh_nodepools.yaml@1.14.3"
NODE_CLASS_CRD = "karpenter.k8s.aws_ec2nodeclasses.yaml@1.14.3"
OVERLAY_CRD = "karpenter.sh_nodeoverlays.yaml@1.14.3"
BUFFER_CRD = "autoscaling.x-k8s.io_capacitybuffers.yaml@1.14.3"
STACK = "this stack"


class Strict(BaseModel):
    """A frozen model that knows every one of its keys: a misspelt key is an error, never ignored."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        hide_input_in_errors=True,
    )


def doc(
    default: Any,  # the type of a default is its field's own type
    meaning: str,
    *,
    source: str,
    alias: str | None = None,
    unit: str | None = None,
    allowed: str | None = None,
    default_text: str | None = None,
    example: str | None = None,
    **constraints: Any,  # handed to pydantic's Field as they are
) -> Any:  # as pydantic's Field, so that it can stand as the default of any field
    """Describe a field once for the models, the reference, the JSON Schema and the checker's messages.

    Args:
        default: Value of the field when it is absent; `...` when it must be given.
        meaning: What the field does, in a sentence or two.
        source: File, with its version, that defines the field.
        alias: Key in the configuration, where it is not simply the camelCase of the name.
        unit: Unit of the value.
        allowed: Values that are accepted, in words; the checker shows it as the rule.
        default_text: What happens when the field is absent, where the default alone does not say it.
        example: A valid value; the checker shows it as the remedy.
        constraints: Further constraints, as pydantic's Field takes them.
    """
    extra = {"x-unit": unit, "x-allowed": allowed, "x-default": default_text, "x-example": example, "x-source": source}
    return Field(
        default,
        alias=alias,
        description=meaning,
        json_schema_extra={key: value for key, value in extra.items() if value is not None},
        **constraints,
    )


def _text(value: object) -> object:
    """Write a whole number as text: YAML reads `values: [2]` and `cpu: 1000` as numbers, Kubernetes wants text."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _quantity(value: str) -> str:
    if QUANTITY.search(value) is None:
        kind, message = "quantity", 'must be a Kubernetes quantity such as "1000", "500m" or "64Gi"'
        raise PydanticCustomError(kind, message)
    return value


def _label_value(value: str) -> str:
    if LABEL_VALUE.search(value) is None:
        kind, message = (
            "label_value",
            "must be at most 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends",
        )
        raise PydanticCustomError(kind, message)
    return value


def text_or_number(pattern: str | None = None) -> WithJsonSchema:
    """What editors may accept: text of a pattern, or a whole number in its place."""
    return WithJsonSchema({"type": ["string", "integer"], **({"pattern": pattern} if pattern else {})})


Text = Annotated[str, BeforeValidator(_text), text_or_number()]
"""Text; a whole number is taken as its digits."""

Quantity = Annotated[str, BeforeValidator(_text), AfterValidator(_quantity), text_or_number(QUANTITY.pattern)]
"""A Kubernetes quantity; a whole number is taken as its digits."""

LabelValue = Annotated[str, BeforeValidator(_text), AfterValidator(_label_value), text_or_number(LABEL_VALUE.pattern)]
"""The value of a Kubernetes label."""
