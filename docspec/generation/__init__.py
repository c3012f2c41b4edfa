"""The seam between pages and engines: an image, a prompt, drafts and limits in; text, a finish reason and counts out.

``interface`` is the contract of every engine; ``local`` is the one in this process. Each is a module or package of its
own, imported only when it is used, so that the base needs the libraries of none of them.
"""
