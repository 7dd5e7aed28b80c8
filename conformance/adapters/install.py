"""Installs what an adapter adapts, at the release it is judged at: ``python -m conformance.adapters.install ID``."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

MODULES = "CONFORMANCE_NODE_MODULES"
"""The folder that npm installs into, where this variable names one; else the current folder."""

Step = tuple[str, ...]


def pip(*words: str) -> Step:
    """Installs into the environment of this Python."""
    return (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", *words)


def npm(*words: str) -> Step:
    """Installs beside the current folder's packages, or where the variable says."""
    return ("npm", "install", "--silent", "--no-save", "--prefix", os.environ.get(MODULES) or os.curdir, *words)


def module(name: str) -> Step:
    """Runs a module that builds what no registry has ready."""
    return (sys.executable, "-m", name)


STEPS: dict[str, tuple[Step, ...]] = {
    "ai_sdk": (npm("ai@7.0.173"),),
    "ai_sdk_tool": (npm("@ai-sdk-tool/parser@4.1.26"),),
    "dynamo": (pip("--no-deps", "ai-dynamo-runtime==1.6.1", "tokenizers==0.23.3"),),
    "litellm": (pip("litellm==1.110.2"),),
    "llama_cpp": (module("conformance.adapters.llama_cpp.build"),),
    "lmdeploy": (pip("--no-deps", "lmdeploy==0.18.0"), pip("mmengine-lite", "pydantic", "shortuuid")),
    "mlx_lm": (pip("mlx-lm==0.32.2", "mlx[cpu]==0.32.4"),),
    "mlx_omni_server": (pip("--no-deps", "mlx-omni-server==0.5.3"),),
    # LiteLLM's distribution holds the vocabulary, which openai-harmony takes from the network otherwise.
    "openai_harmony": (pip("openai-harmony==0.0.8"), pip("--no-deps", "litellm==1.110.2")),
    "pydantic_ai": (pip("pydantic-ai-slim==2.68.0"),),
    "sglang": (
        pip("--no-deps", "llm-router-utils==0.8.1"),
        pip("openai==2.8.0", "orjson", "partial-json-parser", "pydantic"),
    ),
    "transformers": (pip("transformers==5.24.0"),),
    "vllm": (module("conformance.adapters.vllm_install"),),
    "vllm_mlx": (pip("--no-deps", "vllm-mlx==0.6.0"), pip("huggingface_hub")),
    "xinference": (
        pip("--no-deps", "xinference==4.1.0"),
        pip("openai==2.8.0", "orjson", "pillow", "pydantic", "tqdm"),
    ),
}
"""Adapter to what installs the implementation behind it, one command after the other."""


CHECKOUTS = ("atom", "freetoken")
"""Adapters to what no registry holds."""


class InstallError(Exception):
    """An implementation can't be installed; the text says why and what to do."""


def install(id: str) -> None:
    """Runs an adapter's steps, each of which is printed first. Raises InstallError."""
    for step in STEPS[id]:
        print(shlex.join(step), flush=True)
        if shutil.which(step[0]) is None:
            raise InstallError(f"there is no {step[0]} on the path; install it and run this again")
        if status := subprocess.run(step, check=False).returncode:
            raise InstallError(f"that ended with exit code {status}; what it printed says why")


def main(words: Sequence[str]) -> int:
    """Installs for each adapter named; the exit code."""
    if {"-h", "--help"} & {*words}:
        print(f"python -m conformance.adapters.install ID…\n{__doc__}\nIDs: {', '.join(STEPS)}")
        return 0
    unknown = [word for word in words if word not in STEPS]
    if checkouts := [word for word in unknown if word in CHECKOUTS]:
        word = checkouts[0]
        print(
            f"install: {word} is in no registry: it needs a checkout, as docs/adapters/{word}.md says", file=sys.stderr
        )
        return 2
    if not words or unknown:
        wrong = f"no adapter {unknown[0]!r} has steps to install" if unknown else "name an adapter"
        print(f"install: {wrong}; there are {', '.join(STEPS)}", file=sys.stderr)
        return 2
    try:
        for word in words:
            install(word)
    except InstallError as error:
        print(f"install: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
