"""Documents are opened, drawn and drafted in processes of their own: what goes wrong there costs a page, not the run.

A file may make MuPDF, ONNX Runtime or a drafter crash, hang or eat memory. So the process that holds the model never
calls them: a child (``worker.py``) does, asked by its parent's half (``child.py``), and is killed and replaced where it
dies, takes longer than it may, or takes too much memory. ``worker_handle.py`` knows what that costs: a page that is
drawn loses its draft, one that is not drawn is lost. Pixels come through memory that both see (``shared_pixels.py``),
all else as pickles through pipes; nothing that is shared has a name, so nothing stays behind, whoever is killed.

With ``--devices`` the model is in processes of its own too, one a device (``team.py``, ``verifying.py``).

Read: ``pool.py`` (several children, documents), ``worker_handle.py``, ``child.py``, ``serving.py``, ``worker.py``,
``shared_pixels.py``.
"""
