"""How the bundled reader is taught: generated lines and pages, network, losses, plan. Not part of the package."""
