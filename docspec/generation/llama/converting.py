"""A program that runs llama.cpp's own converter on a checkpoint and adds docspec's metadata to the file.

``converting.py SOURCE CHECKPOINT FILE TYPE NOTES``: ``SOURCE`` is the folder of llama.cpp's source that holds
``convert_hf_to_gguf.py``, ``NOTES`` a JSON object of strings that go into the file's metadata. The converter identifies
a tokenizer by a hash of its tokens of a text; an unknown one is identified here by the description in
``tokenizer.json``, if llama.cpp has one like it. It is a program because the converter's modules have general names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def pre_tokenizer(described: Any) -> str | None:
    """llama.cpp's name of the pre-tokenizer ``described`` in ``tokenizer.json``; ``None`` if it has none like it."""
    parts = (described or {}).get("pretokenizers") or [described or {}]
    kinds = [part.get("type") for part in parts]
    if kinds == ["ByteLevel"] and parts[0].get("use_regex", True):
        return "gpt-2"
    if kinds == ["Digits", "ByteLevel"] and parts[0]["individual_digits"] and parts[1].get("use_regex", True):
        return "starcoder"
    if kinds == ["Split", "ByteLevel"] and parts[0].get("pattern", {}).get("Regex") == QWEN2:
        return "qwen2"
    return None


def main(source: str, checkpoint: str, file: str, kind: str, notes: str) -> None:
    """Writes ``FILE`` and ``mmproj-FILE`` beside it."""
    sys.path[:0] = [source, str(Path(source) / "gguf-py")]
    import convert_hf_to_gguf as converter
    from conversion.base import ModelBase, TextModel

    known = TextModel.get_vocab_base_pre

    def named(self: Any, tokenizer: Any) -> str:
        try:
            return str(known(self, tokenizer))
        except NotImplementedError:
            described = json.loads((Path(checkpoint) / "tokenizer.json").read_text(encoding="utf-8"))
            name = pre_tokenizer(described.get("pre_tokenizer"))
            if name is None:
                raise
            return name

    TextModel.get_vocab_base_pre = named
    told = json.loads(notes)
    prepare = ModelBase.prepare_metadata

    def noting(self: Any, *arguments: Any, **named: Any) -> None:
        prepare(self, *arguments, **named)
        for key, value in told.items():
            self.gguf_writer.add_string(key, value)

    ModelBase.prepare_metadata = noting
    tower = Path(file).with_name(f"mmproj-{Path(file).name}")
    for written, more in ((file, []), (str(tower), ["--mmproj"])):
        sys.argv = ["convert", checkpoint, "--outfile", written, "--outtype", kind, *more]
        converter.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
