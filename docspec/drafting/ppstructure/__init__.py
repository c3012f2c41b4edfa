"""PaddleOCR's PP-StructureV3, the paper's drafter: finds its models, runs them, reads their results."""

from docspec.drafting.ppstructure.pipeline import PPStructureDrafter
from docspec.drafting.ppstructure.results import regions_from_result

__all__ = ["PPStructureDrafter", "regions_from_result"]
