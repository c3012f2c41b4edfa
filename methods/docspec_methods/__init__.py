"""Methods of related papers, each a proposer or a mixture that docspec loads by its entry point when an option names
it. Nothing imports this package; it imports docspec.

* ``model:NAME`` (``draft_model``, ``draft_at_once``, ``model_row``): a smaller model drafts.
* ``parallel:NAME`` (``parallel``): it drafts while the target verifies (ParallelVLM, after PEARL).
* ``head:FOLDER`` (``head_network``, ``head_tree``, ``head_memory``): one trained layer drafts a
  tree from the target's last hidden states (HiViS, ViSpec); ``teaching`` trains it.
* ``skip-verification`` (``skipping``): part of the verification is left out (VVS); lossy.

``loading`` opens models and heads and checks them against the target. docs/paper has what each was worth.
"""
