"""One module per kind of page; each holds a `SHEET`, and `mixed` the sheets of a longer document."""
