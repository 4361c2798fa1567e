"""Stand-in for Pulumi's Python language host, where the official one is missing.

It starts the same script that the official host starts: `pulumi-language-python-exec` of the Go module
github.com/pulumi/pulumi/sdk/v3, which the lab keeps among its assets.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from lab.plugins.server import serve

SHOWN_ALREADY = 32
"""Exit code of the script when the user has seen the error."""
EXEC = "pulumi-language-python-exec"


def exec_script() -> Path:
    """The script that runs a program, beside the Pulumi CLI's own assets.

    Raises:
        FileNotFoundError: If it is not there.
    """
    for folder in os.environ["PATH"].split(os.pathsep):
        found = Path(folder) / "assets" / "python-exec" / EXEC
        if found.exists():
            return found
    message = f"{EXEC} is not among the lab's assets"
    raise FileNotFoundError(message)


def python_of(options: Mapping[str, Any], root: str) -> str:
    """The Python that a program runs with: its virtual environment's, or without one the first on PATH.

    Args:
        options: The options of the runtime in Pulumi.yaml or PulumiPolicy.yaml.
        root: The folder of that file.

    Raises:
        FileNotFoundError: If the environment is not there; the official host does not look further either.
    """
    environment = options.get("virtualenv")
    if not environment:
        return shutil.which("python3") or sys.executable
    found = Path(root) / str(environment) / "bin" / "python"
    if not found.exists():
        message = f"virtualenv: found {environment}; {found} is not there; run `pulumi install`"
        raise FileNotFoundError(message)
    return str(found)


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """The calls that preview, up, destroy, policy packs and component providers make.

    Args:
        engine: Address of the engine.
    """

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._running: set[subprocess.Popen[Any]] = set()

    def Handshake(self, request: Any, _context: Any) -> Any:
        """Take the engine's address."""
        self._engine = request.engine_address or self._engine
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, _request: Any, _context: Any) -> Any:
        """Say that this is no released version."""
        return plugin_pb2.PluginInfo(version="0.0.0-lab")

    def GetRequiredPackages(self, _request: Any, _context: Any) -> Any:
        """Ask for nothing: the lab has its plugins on PATH."""
        return language_pb2.GetRequiredPackagesResponse()

    def GetRequiredPlugins(self, _request: Any, _context: Any) -> Any:
        """Ask for nothing: the lab has its plugins on PATH."""
        return language_pb2.GetRequiredPluginsResponse()

    def GetProgramDependencies(self, _request: Any, _context: Any) -> Any:
        """Name no dependencies; only `pulumi about` asks."""
        return language_pb2.GetProgramDependenciesResponse()

    def InstallDependencies(self, _request: Any, _context: Any) -> Iterator[Any]:
        """Install nothing: `make` has set the environment up."""
        yield language_pb2.InstallDependenciesResponse(stdout=b"the lab's environment is set up by make\n")

    def About(self, request: Any, _context: Any) -> Any:
        """Name the interpreter."""
        options = MessageToDict(request.info.options)
        python = python_of(options, request.info.root_directory)
        return language_pb2.AboutResponse(executable=python, version=sys.version.split()[0])

    def Cancel(self, _request: Any, _context: Any) -> Any:
        """End what runs."""
        for process in list(self._running):
            process.terminate()
        return empty_pb2.Empty()

    def Run(self, request: Any, _context: Any) -> Any:
        """Run a Pulumi program and say how it ended."""
        info = request.info
        try:
            python = python_of(MessageToDict(info.options), info.root_directory)
        except FileNotFoundError as error:
            return language_pb2.RunResponse(error=str(error))
        command = [
            python,
            "-u",
            str(exec_script()),
            f"--monitor={request.monitor_address}",
            f"--engine={self._engine}",
            f"--project={request.project}",
            f"--root_directory={info.root_directory}",
            f"--stack={request.stack}",
            f"--pwd={request.pwd}",
            f"--dry_run={'true' if request.dryRun else 'false'}",
            f"--parallel={request.parallel}",
            f"--organization={request.organization}",
            str(Path(info.program_directory) / info.entry_point),
            *request.args,
        ]
        variables = {
            **os.environ,
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            "PYTHONUNBUFFERED": "1",
        }
        code = self._wait(subprocess.Popen(command, env=variables, cwd=request.pwd or None, stdin=subprocess.DEVNULL))
        if code == 0:
            return language_pb2.RunResponse()
        if code == SHOWN_ALREADY:
            return language_pb2.RunResponse(bail=True)
        return language_pb2.RunResponse(error=f"Program exited with non-zero exit code: {code}")

    def RunPlugin(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        """Run a policy pack or a component provider, and hand on what it prints."""
        root = request.info.root_directory or request.info.program_directory
        try:
            python = python_of(MessageToDict(request.info.options), root)
        except FileNotFoundError as error:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        program = str(Path(request.info.program_directory) / (request.info.entry_point or "."))
        if request.kind == "analyzer":
            command = [python, "-u", "-m", "pulumi.policy", *request.args, program]
        else:
            command = [python, "-u", program, *request.args]
        given = dict(pair.split("=", 1) for pair in request.env if "=" in pair)
        process = subprocess.Popen(
            command,
            env={**os.environ, **given},
            cwd=request.info.program_directory or request.pwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )
        self._running.add(process)
        context.add_callback(process.terminate)
        if process.stdout is not None:
            while chunk := process.stdout.read(65536):
                yield language_pb2.RunPluginResponse(stdout=chunk)
        yield language_pb2.RunPluginResponse(exitcode=self._wait(process))

    def _wait(self, process: subprocess.Popen[Any]) -> int:
        self._running.add(process)
        try:
            return process.wait()
        finally:
            self._running.discard(process)


def main() -> None:
    """Serve; the engine's address is the last argument."""
    host = LanguageHost(sys.argv[-1])
    serve(lambda server: language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server))
    host.Cancel(None, None)


if __name__ == "__main__":
    main()
