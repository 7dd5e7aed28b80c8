"""A parser of qwen3 with a common fault: its stream takes a chunk for a marker only where the two are equal."""

from pathlib import Path
from runpy import run_path

right = run_path(str(Path(__file__).with_name("right.py")))
dialects, policy, split = right["dialects"], right["policy"], right["split"]


class Stream:
    def __init__(self, request):
        self.channel = "reasoning" if request["opened"] else "content"

    def feed(self, text):
        if text in ("<think>", "</think>"):
            self.channel = "reasoning" if text == "<think>" else "content"
            return []
        return [(self.channel, text)]

    def finish(self, finish):
        return []


def stream(request):
    return Stream(request)
