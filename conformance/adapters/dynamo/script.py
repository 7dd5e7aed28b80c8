"""A Python program that asks Dynamo's frontend about one output, without this suite."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters.dynamo.declared import PARSERS, tail, tokens_of
from oracles.dialects import REGISTRY
from oracles.messages import Finish, Request

PROGRAM = r"""# pip install --no-deps ai-dynamo-runtime==1.6.1 tokenizers
import asyncio
import json
import os
import socket
import tempfile
import urllib.request

os.environ["DYN_TCP_RPC_HOST"] = os.environ["DYN_TCP_RESPONSE_STREAM_HOST"] = "127.0.0.1"

import dynamo._core as core
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

PARSER = @PARSER@  # --dyn-reasoning-parser
TOKENS = @TOKENS@  # each one token of the tokenizer
PROMPT = @PROMPT@
THINKING = @THINKING@
FINISH = @FINISH@
SPLIT = @SPLIT@  # the worker's outputs where the answer isn't streamed
CHUNKS = @CHUNKS@  # and where it is

outputs = []


def model(folder):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={byte: number for number, byte in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<s>", "</s>"])
    made.add_tokens([AddedToken(token, normalized=False, special=False) for token in TOKENS])
    made.save(f"{folder}/tokenizer.json")
    ends = {"bos_token_id": 256, "eos_token_id": 257}
    shape = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": made.get_vocab_size()}
    llama = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "max_position_embeddings": 1000000}
    names = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"}
    files = {
        "config.json": llama | shape | ends,
        "generation_config.json": ends,
        "tokenizer_config.json": names | {"chat_template": "{{ messages[-1]['content'] }}"},
    }
    for name, held in files.items():
        with open(f"{folder}/{name}", "w") as file:
            json.dump(held, file)
    return made


async def main(folder):
    tokenizer = model(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    async def worker(request, context=None):
        for text in outputs:
            yield {"token_ids": tokenizer.encode(text, add_special_tokens=False).ids}
        yield {"token_ids": [], "finish_reason": FINISH}

    runtime = core.DistributedRuntime(asyncio.get_running_loop(), "mem", "tcp")
    config = core.ModelRuntimeConfig()
    config.reasoning_parser = PARSER
    endpoint = runtime.endpoint("example.worker.generate")
    kinds = (core.ModelInput.Tokens, core.ModelType.Chat)
    aggregated = core.WorkerType.Aggregated
    await core.register_model(*kinds, endpoint, folder, "m", worker_type=aggregated, runtime_config=config)
    tasks = [asyncio.ensure_future(endpoint.serve_endpoint(worker))]
    arguments = core.EntrypointArgs(core.EngineType.Dynamic, http_host="127.0.0.1", http_port=port)
    tasks.append(asyncio.ensure_future(core.run_input(runtime, "http", await core.make_engine(runtime, arguments))))
    await asyncio.to_thread(ask, f"http://127.0.0.1:{port}/v1/")
    os._exit(0)


def ask(url):
    for _ in range(600):
        try:
            if json.load(urllib.request.urlopen(f"{url}models"))["data"]:
                break
        except OSError:
            pass
    body = {"model": "m", "messages": [{"role": "user", "content": PROMPT}]}
    body["chat_template_kwargs"] = {"enable_thinking": THINKING, "thinking": THINKING}
    outputs[:] = SPLIT
    message = json.loads(posted(url, body))["choices"][0]["message"]
    print("split", {name: message.get(name) for name in ("reasoning_content", "content")}, flush=True)
    if CHUNKS is None:
        return
    outputs[:] = CHUNKS
    for line in posted(url, body | {"stream": True}).splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                print("stream", choice["delta"], choice["finish_reason"], flush=True)


def posted(url, body):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}chat/completions", json.dumps(body).encode(), headers)
    return urllib.request.urlopen(request).read().decode()


with tempfile.TemporaryDirectory() as folder:
    os.environ["HOME"] = folder
    asyncio.run(main(folder))
"""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """The program's text. ``chunks``: the worker's outputs, or None where the split alone matters."""
    filled = PROGRAM
    for mark, value in {
        "@PARSER@": PARSERS[request.dialect].name,
        "@TOKENS@": list(REGISTRY.get(request.dialect).atoms),
        "@PROMPT@": f"hi\n{tail(request.dialect, request.opened)}",
        "@THINKING@": request.thinking,
        "@FINISH@": finish,
        "@SPLIT@": tokens_of(raw, request.dialect),
        "@CHUNKS@": None if chunks is None else list(chunks),
    }.items():
        filled = filled.replace(mark, ascii(value))
    return filled
