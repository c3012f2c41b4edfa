"""Layers that keep a state of fixed size instead of keys and values, verified by trees.

Such a state cannot be rolled back by cutting it off, and every branch of a tree needs its own. Here a step stores what
each node *adds* to the state, not states: outputs of all nodes come from the state before the tree and the sums over
their ancestors (one triangular solve, the WY form of the delta rule over a tree), and the next step adds what the
accepted nodes brought. Rejected nodes are forgotten by not adding them.

Read ``gated_delta`` (the mathematics, tensors in and tensors out), then ``states`` (what is kept of each row between
steps), then ``layers`` (the forward pass of transformers' classes over both).
"""
