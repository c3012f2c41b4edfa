"""What every command shares: standard error and standard output, exit codes, options as parameters."""
