"""The contract of a drafter, a cheap guess of a page's content before the target reads it, and the smallest one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from docspec.core import PageDraft, PageImage


@runtime_checkable
class Drafter(Protocol):
    """Drafts pages. ``name`` is its name in reports and in ``--drafter``.

    It is made in the child that drafts (no torch there), and again where pages are verified, so making it must be
    cheap; a plug-in's is made without arguments. Optional: ``check()`` raises where it cannot work at all, ``warm()``
    loads the models of the first page. Its words stand (``--words evidence``) only where ``Region.words`` is set.
    """

    name: str

    def draft(self, page: PageImage) -> PageDraft:
        """The regions of ``page`` in reading order, boxes in page-image pixels.

        Raises :class:`docspec.core.DrafterError` when it cannot work on this machine or on this page; a page never
        fails because of its drafter.
        """
        ...


class NoneDrafter:
    """Drafts nothing."""

    name = "none"

    def draft(self, page: PageImage) -> PageDraft:
        return PageDraft(drafter=self.name, reason="drafting is off")
