"""Measuring docspec against plain decoding: speed, fidelity, accuracy, memory. Nothing here is needed to parse."""
