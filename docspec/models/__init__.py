"""Models on this machine: the known ones, their files on the hub, the cache, and checks that files are whole.

The cache is the ordinary one of huggingface_hub, so that other programs use the same files; its settings
(``HF_ENDPOINT``, ``HF_HOME``, ``HF_TOKEN``, ``HF_HUB_OFFLINE``) are honoured by the library itself.
"""
