"""A trial of Norn: seeded random models, run every way there is, against ONNX Runtime and node by node.

`make trial MINUTES=10` runs it; README.md says what it draws, what counts as truth, and what it writes.
"""
