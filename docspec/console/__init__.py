"""Parts that all commands share: standard error and standard output, exit codes, options as parameters."""
