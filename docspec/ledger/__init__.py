"""The ledger: an account of every visible word of a page, made from the page and the finished output alone.

``visible`` is the witness of the page, ``witness`` decides whether the file or the recogniser is believed, and
``outputs`` reads what was written; ``atoms``, ``matching`` and ``sides`` compare them; ``fates`` says what became of
words that the output does not have, and ``account`` puts all together.
"""

from docspec.ledger.account import account_for
from docspec.ledger.sides import PageOutput
from docspec.ledger.visible import visible_words
from docspec.ledger.witness import witness_of

__all__ = ["PageOutput", "account_for", "visible_words", "witness_of"]
