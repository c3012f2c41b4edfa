"""Pages read with an engine on the other side of the seam (:mod:`docspec.generation`): its answers are texts.

A page is a task that waits for its answers; pages share nothing but the engine, so any number of them may be read at
once, each in a thread of its own. ``context`` is what they are read with, ``answers`` how requests go out and come
back, ``whole`` how a page is read whole, ``pages`` how it is read by regions and what becomes of it.
"""
