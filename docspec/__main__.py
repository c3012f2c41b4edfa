"""``python -m docspec`` is the same as ``docspec``."""

from docspec.cli import main

if __name__ == "__main__":
    main()
