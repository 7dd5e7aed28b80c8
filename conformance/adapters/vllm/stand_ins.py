"""What stands in for torch and the engine while vLLM's parsers are imported, and why each may."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any

STAND_INS = {
    "torch": "tensors: named in annotations, and imported by modules that the parsers take one helper from",
    "uvloop": "the server's event loop",
    "vllm.compilation": "compiles models",
    "vllm.config": "named as a type; the parsers get None for a model's configuration",
    "vllm.distributed": "runs on several devices",
    "vllm.env_override": "patches torch",
    "vllm.forward_context": "runs models",
    "vllm.lora": "changes models",
    "vllm.model_executor": "runs models",
    "vllm.multimodal": "reads images; protocol types name its inputs",
    "vllm.platforms": "asks for the device",
    "vllm.triton_utils": "compiles kernels",
    "vllm.utils.torch_utils": "helpers for tensors",
    "vllm.v1.utils": "starts processes",
}
"""Module to what it does, which is nothing that a parser does to text. All else of vLLM is the real thing."""


@contextmanager
def stand_ins() -> Iterator[None]:
    """While it lasts, the modules of ``STAND_INS`` can be imported without torch, and log nothing.

    Where torch is installed all is left as it is. Afterwards nobody else finds a stand-in; vLLM keeps what it took.
    """
    if find_spec("torch") is not None:
        yield
        return
    before = set(sys.modules)
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    # It decides once whether there is a torch, and must decide before one seems to be there.
    import_module("transformers")
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        logging.disable(disabled)
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            if isinstance(sys.modules[name], _StandIn):
                del sys.modules[name]


class _Finder(MetaPathFinder, Loader):
    """Finds a stand-in, and any module inside one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if any(fullname == name or fullname.startswith(f"{name}.") for name in STAND_INS):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__path__ = []


class _StandIn(ModuleType):
    """A module that holds an unused class under whatever name is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "0"
        if name.startswith("__"):
            raise AttributeError(name)
        made = _unused(name)
        setattr(self, name, made)
        return made


class _Kind(type):
    """The type of the unused classes: an attribute of one is another, a decorator gives its function back."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _unused(name)
        setattr(cls, name, made)
        return made

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        if not cls.__dict__.get("unused"):
            return super().__call__(*arguments, **named)
        if len(arguments) == 1 and not named and isinstance(arguments[0], FunctionType | type):
            return arguments[0]
        new: Any = object.__new__
        return new(cls)

    def __bool__(cls) -> bool:
        return not cls.__dict__.get("unused", False)

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


class _Unused:
    """What a stand-in holds: it can be named as a type, subclassed, called, and does nothing."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def __init_subclass__(cls, **named: Any) -> None:
        pass

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        decorates = len(arguments) == 1 and not named and isinstance(arguments[0], FunctionType | type)
        return arguments[0] if decorates else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _unused(name)

    def __bool__(self) -> bool:
        return False

    def __class_getitem__(cls, item: Any) -> Any:
        return cls


def _unused(name: str) -> Any:
    return _Kind(name, (_Unused,), {"unused": True, "__module__": "torch"})
