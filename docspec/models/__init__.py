"""Models on this machine: which are known, what the hub has of them, what lies in the cache, and whether it is whole.

The cache is the ordinary one of huggingface_hub, so that other programs use the same files; its settings
(``HF_ENDPOINT``, ``HF_HOME``, ``HF_TOKEN``, ``HF_HUB_OFFLINE``) are honoured by the library itself.
"""
