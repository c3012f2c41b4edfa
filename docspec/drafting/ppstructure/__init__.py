"""PaddleOCR's PP-StructureV3, the paper's drafter: which models are there, running them, reading results."""

from docspec.drafting.ppstructure.pipeline import PPStructureDrafter
from docspec.drafting.ppstructure.results import regions_from_result

__all__ = ["PPStructureDrafter", "regions_from_result"]
