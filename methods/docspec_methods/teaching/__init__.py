"""How a drafting head is taught for a target: HiViS and ViSpec, ``--proposer head:DIR``."""
