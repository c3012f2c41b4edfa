"""Published benchmarks, the paper's tables and the documentation's pictures. Not part of the package."""
