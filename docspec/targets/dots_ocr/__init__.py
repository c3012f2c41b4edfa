"""dots.ocr without remote code: the published checkpoint's configuration, vision tower, decoder and inputs.

Import from the modules (`configuration`, `vision`, `modeling`, `processing`); the package itself imports nothing, so
that naming it does not import torch.
"""
