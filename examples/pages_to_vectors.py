"""The pages of documents as what any vector store takes: an identifier, a text, and facts to filter by.

python examples/pages_to_vectors.py report.pdf more.pdf > records.jsonl
"""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from docspec import Parser


def records(documents: Iterable[str]) -> Iterator[dict[str, Any]]:
    """A record for each page that has words, as soon as it is read."""
    with Parser() as parser:
        for reading in parser.documents(documents):
            if reading.document is None:
                print(reading.error, file=sys.stderr)
                continue
            for page in reading:
                if page.text.strip():
                    metadata = {
                        "source": page.source,
                        "page": page.number,
                        "headings": [block.text for block in page.blocks if block.category.is_heading],
                        "doubtful": page.doubtful or "",  # why a person should look at it
                    }
                    name = f"{reading.document.sha256}-{page.number}"  # the same page of the same file: the same record
                    yield {"id": name, "text": page.text, "metadata": metadata}


if __name__ == "__main__":
    for record in records(sys.argv[1:]):  # here they would go to the store, some at a time
        print(json.dumps(record, ensure_ascii=False))
