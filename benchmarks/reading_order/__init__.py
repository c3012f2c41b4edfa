"""Made pages of known reading order (:mod:`.kinds`), and how much of it a written page keeps (:mod:`.score`)."""
