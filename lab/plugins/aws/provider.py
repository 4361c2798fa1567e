"""The gRPC side of the stand-in: checks, differences, and the four verbs."""

import json
import secrets
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from lab.plugins.aws.differences import FILLED_IN, covers, difference, merged
from lab.plugins.aws.invokes import invoke
from lab.plugins.aws.kind import Aws, Kind, PluginError, Props
from lab.plugins.aws.registry import KINDS
from lab.plugins.aws.values import UNKNOWN, from_struct, has_unknown, to_struct

CONFIG = frozenset(
    {
        "region",
        "accessKey",
        "secretKey",
        "token",
        "profile",
        "endpoints",
        "defaultTags",
        "allowedAccountIds",
        "skipCredentialsValidation",
        "skipMetadataApiCheck",
        "skipRegionValidation",
        "skipRequestingAccountId",
        "s3UsePathStyle",
        "version",
    }
)
"""Properties of the provider that the stand-in honours, or that mean nothing to it."""
RANDOM_DIGITS = 7


def _told(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let the engine show an error's text; without it a user would read a traceback."""

    @wraps(method)
    def call(self: Any, request: Any, context: Any) -> Any:
        try:
            return method(self, request, context)
        except Exception as error:
            context.abort(grpc.StatusCode.UNKNOWN, str(error) or type(error).__name__)
            raise

    return call


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """The plugin."""

    def __init__(self) -> None:
        self._aws = Aws({})

    def Handshake(self, _request: Any, _context: Any) -> Any:
        """Say what this plugin takes."""
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=False, accept_resources=False)

    def GetPluginInfo(self, _request: Any, _context: Any) -> Any:
        """Say the version whose names this plugin follows."""
        return plugin_pb2.PluginInfo(version="7.51.1")

    def GetSchema(self, _request: Any, _context: Any) -> Any:
        """Have no schema: nothing in a Python program's life asks for it."""
        return provider_pb2.GetSchemaResponse(schema="{}")

    @_told
    def CheckConfig(self, request: Any, _context: Any) -> Any:
        """Refuse provider properties that are not known."""
        news = from_struct(request.news)
        unknown = sorted(set(news) - CONFIG)
        failures = [
            provider_pb2.CheckFailure(
                property=name,
                reason=f"the lab's stand-in for the aws plugin does not know the provider property {name}",
            )
            for name in unknown
        ]
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    @_told
    def DiffConfig(self, request: Any, _context: Any) -> Any:
        """A provider is never replaced: its resources would be, too."""
        changed = from_struct(request.old_inputs) != from_struct(request.news)
        kind = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=kind)

    @_told
    def Configure(self, request: Any, _context: Any) -> Any:
        """Take the provider's properties."""
        config = {name: _decoded(value) for name, value in from_struct(request.args).items() if not has_unknown(value)}
        self._aws = Aws(config)
        self._aws.check_account()
        return provider_pb2.ConfigureResponse(supportsPreview=True, acceptSecrets=False)

    @_told
    def Check(self, request: Any, _context: Any) -> Any:
        """Fill in defaults, the name and all tags; refuse properties that are not known."""
        kind = _kind(request.urn)
        news = {name: value for name, value in from_struct(request.news).items() if value is not None}
        olds = from_struct(request.olds)
        allowed = kind.inputs | {FILLED_IN} | ({"tags", "tagsAll"} if kind.taggable else set())
        failures = [
            provider_pb2.CheckFailure(
                property=name,
                reason=f"the lab's stand-in for the aws plugin does not know the property {name} of {kind.token}",
            )
            for name in sorted(set(news) - allowed)
        ]
        filled_in = dict(kind.defaults)
        if kind.autoname:
            own = olds.get(kind.autoname) if kind.autoname in olds.get(FILLED_IN, [kind.autoname]) else None
            filled_in[kind.autoname] = own or _random_name(request.urn)
        filled_in = {name: value for name, value in filled_in.items() if name not in news}
        news |= {**filled_in, FILLED_IN: sorted(filled_in)}
        if kind.taggable:
            news["tagsAll"] = _all_tags(self._aws.default_tags, news.get("tags"))
        return provider_pb2.CheckResponse(inputs=to_struct(news), failures=failures)

    @_told
    def Diff(self, request: Any, _context: Any) -> Any:
        """Compare what was asked for then with what is asked for now, property by property."""
        return difference(_kind(request.urn), from_struct(request.old_inputs), from_struct(request.news))

    @_told
    def Create(self, request: Any, _context: Any) -> Any:
        """Make a resource; in a preview only say what is known of it."""
        kind = _kind(request.urn)
        new = from_struct(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(id="", properties=to_struct(merged({}, new)))
        resource_id = kind.create(self._aws, new)
        return provider_pb2.CreateResponse(id=resource_id, properties=to_struct(self._outputs(kind, resource_id, new)))

    @_told
    def Read(self, request: Any, _context: Any) -> Any:
        """Say how a resource is in AWS; an empty id says that it is gone."""
        kind = _kind(request.urn)
        state, inputs = from_struct(request.properties), from_struct(request.inputs)
        resource_id, known = request.id, {**state, **inputs}
        if not known:
            resource_id, known = kind.imported(resource_id)
        found = kind.read(self._aws, resource_id, known)
        if found is None:
            return provider_pb2.ReadResponse(id="")
        live_inputs = self._live_inputs(kind, inputs, found)
        properties = merged({**known, **found}, live_inputs)
        return provider_pb2.ReadResponse(
            id=resource_id, properties=to_struct(properties), inputs=to_struct(live_inputs)
        )

    @_told
    def Update(self, request: Any, _context: Any) -> Any:
        """Change a resource in place; in a preview only say what is known of it then."""
        kind = _kind(request.urn)
        old, new = from_struct(request.old_inputs), from_struct(request.news)
        if request.preview:
            kept = {name: v for name, v in from_struct(request.olds).items() if name not in kind.changing}
            return provider_pb2.UpdateResponse(properties=to_struct(merged(kept, new)))
        kind.update(self._aws, request.id, old, new)
        return provider_pb2.UpdateResponse(properties=to_struct(self._outputs(kind, request.id, new)))

    @_told
    def Delete(self, request: Any, _context: Any) -> Any:
        """Delete a resource."""
        kind = _kind(request.urn)
        kind.delete(self._aws, request.id, {**from_struct(request.properties), **from_struct(request.old_inputs)})
        return empty_pb2.Empty()

    @_told
    def Invoke(self, request: Any, _context: Any) -> Any:
        """Answer a function call."""
        return provider_pb2.InvokeResponse(
            **{"return": to_struct(invoke(self._aws, request.tok, from_struct(request.args)))}
        )

    def Cancel(self, _request: Any, _context: Any) -> Any:
        """Let calls end by themselves: each is short."""
        return empty_pb2.Empty()

    def _outputs(self, kind: Kind, resource_id: str, new: Props) -> Props:
        found = kind.read(self._aws, resource_id, new)
        if found is None:
            message = f"{kind.token} {resource_id} is gone right after it was made"
            raise PluginError(message)
        return merged(found, new)

    def _live_inputs(self, kind: Kind, inputs: Props, found: Props) -> Props:
        """The inputs that would describe what is there now; equal meaning keeps the text of before."""
        live: Props = {}
        for name in inputs or {name: None for name in found if name in kind.inputs}:
            if name in {"tags", "tagsAll", FILLED_IN}:
                continue
            current = found.get(name, inputs.get(name))
            live[name] = inputs[name] if name in inputs and covers(kind, name, inputs[name], current) else current
        if FILLED_IN in inputs:
            live[FILLED_IN] = inputs[FILLED_IN]
        if kind.taggable:
            tags = found.get("tagsAll", {})
            defaults, asked = self._aws.default_tags, inputs.get("tags") or {}
            shown = {k: v for k, v in tags.items() if k in asked or defaults.get(k) != v}
            live |= {"tagsAll": tags, **({"tags": shown} if shown or "tags" in inputs else {})}
        return live


def _all_tags(defaults: Mapping[str, str], tags: Any) -> Any:
    return UNKNOWN if tags == UNKNOWN else {**defaults, **(tags or {})}


def _decoded(value: Any) -> Any:
    """The SDK sends nested provider properties as JSON text."""
    if isinstance(value, str) and (value[:1] in {"{", "["} or value in {"true", "false"}):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _kind(urn: str) -> Kind:
    token = urn.split("::")[2].rsplit("$", 1)[-1]
    if token not in KINDS:
        message = f"the lab's stand-in for the aws plugin does not know the type {token}"
        raise PluginError(message)
    return KINDS[token]


def _random_name(urn: str) -> str:
    return f"{urn.rsplit('::', 1)[-1]}-{secrets.token_hex(4)[:RANDOM_DIGITS]}"
