"""The ledger: an account of every visible word of a page, made from the page and the finished output alone.

``visible`` is the witness of the page, ``witness`` decides whether the file or the recogniser is believed, ``outputs``
reads what was written, ``atoms`` and ``matching`` compare them, and ``account`` names the fate of each word.
"""

from docspec.ledger.account import PageOutput, account_for
from docspec.ledger.visible import visible_words
from docspec.ledger.witness import witness_of

__all__ = ["PageOutput", "account_for", "visible_words", "witness_of"]
