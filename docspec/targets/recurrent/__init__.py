"""Layers with a state of fixed size instead of keys and values, verified by trees.

Such a state cannot be truncated, and every branch of a tree needs its own. A step therefore stores the *update* of each
node instead of states: the outputs of all nodes follow from the state before the tree and sums over their ancestors
(one triangular solve, the WY form of the delta rule over a tree), and the next step adds the updates of the accepted
nodes. Updates of rejected nodes are dropped.

Read ``gated_delta`` (the mathematics on tensors), then ``states`` (the state of each row between steps), then
``layers`` (the forward pass of transformers' classes over both).
"""
