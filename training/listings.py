"""Program text as manuals print it, and rows of signs without any sense, so that every sign of a keyboard is known by
its looks.

In a form `~n` is a name, `~w` a word, `~d` a number, `~a` an argument (a form of the same language among them), `~s` a
few signs in random order, `~r` one over and over; all else stands for itself.
"""

from __future__ import annotations

import random
import re
import string

from training import corpus
from training.words import Word, plain

FORMS: dict[str, tuple[str, ...]] = {
    "latex": (
        r"\~n", r"\~n{~a}", r"\~n[~a]{~a}", r"\~n{~a}{~a}", r"\~n*{~a}", r"\begin{~n}", r"\end{~n}",
        r"\~n{\~n}[~d]{#~d}",
        r"\def\~n#1{~a}%", r"\~n@~n", r"~a & ~a \\", "$~n_{~d}^{~d}$", r"\~n=~d.~dpt", "% ~w ~w ~w", r"~n=~d, ~n={~a},",
        r"\~n:~n {~a} #1", "{#1}{#2}%", r"\~n_~n_tl", r"~w~~\ref{~n:~n}",
    ),
    "c": (
        "~n(~a, ~a);", "int *~n(const char *~n)", "~n->~n = &~n[~d];", "if (~n == ~d && !~n) {", "} else {", "};",
        "#define ~n 0x~dF", "/* ~w ~w */", "// ~w ~w", r'printf("%d %s\n", ~n);', "for (i = 0; i < ~n; i++)",
        "~n::~n<~n>", "~n |= 1 << ~d;", "return ~n ? ~a : NULL;", "~n += ~n % ~d;",
    ),
    "python": (
        "def ~n(self, ~n=~d):", "~n = [~n for ~n in ~n]", '~n["~n"] = ~a', "@~n", "# ~w ~w", "lambda x: x ** ~d",
        "if __name__ == '__main__':", 'f"{~n}: {~n:.~df}"', "**kwargs", ">>> ~n(~a)", "~n(~a, ~n=~a)",
        "import ~n.~n as ~w",
    ),
    "shell": (
        "$ ~w -~w --~w=~a", "~w | grep '^~w' > /~w/~w", "~/~w/~w.~w", "${~n}", "~w && ~w || exit ~d", "2>&1", "# ~w ~w",
        "sudo ~w install ~w-~w", 'for f in *.~w; do ~w "$f"; done', "~w@~w:~$", "http://~w.~w/~w?~w=~d&~w=~w",
    ),
    "markup": (
        '<~w ~w="~a">', "</~w>", "<~w/>", "<!-- ~w ~w -->", "&~w;", '"~n": [~d, ~d],', '"~n": {', "}", "~n: ~w",
        "- ~n: '~w'", "#~w { ~w: ~dpx; }", "@~w{~w~d,", "~w = {~w ~w},",
    ),
    "types": (
        "~n(~n) -> {ok, ~n}", "~n() | [~n()]", "~n :: ~n -> ~n", "{error, ~n}", "| ~a", "~n[~d..~d]", "^~w+(\\d{~d})*$",
        "[^~w]*\\.~w", "~n :- ~n(X), \\+ ~n.", "~n := ~n / ~d;", "<~n> ::= '~s' <~n>",
    ),
    "signs": ("~s", "~s", "~s~n", "~n~s", "~s~d", "~n~s~n", "~r", "~r~s~r"),
}  # fmt: skip
RUNS = "XxA01.-=*#_~!?"
SIGNS = string.punctuation + "\\{}{}@#%$&_^~|<>\"'`"


def _name(rng: random.Random) -> str:
    words = [_word(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    kind = rng.random()
    if kind < 0.35:
        return words[0] + "".join(word.capitalize() for word in words[1:])
    if kind < 0.45:
        return "".join(word.capitalize() for word in words)
    if kind < 0.52:
        return "_".join(words).upper()
    return rng.choice(("_", "_", "", "", "-", "@", ":", ".")).join(words) + rng.choice(("", "", "", "", "1", "2"))


def _word(rng: random.Random) -> str:
    word = rng.choice(corpus.words()).lower()
    return "".join(c for c in word if c in string.ascii_lowercase)[: rng.randint(1, 9)] or "x"


def filled(rng: random.Random, form: str, forms: tuple[str, ...]) -> str:
    """A form filled in; arguments are at times others of the `forms`."""

    def part(match: re.Match[str]) -> str:
        kind = match[1]
        if kind == "d":
            return str(rng.randrange(rng.choice((10, 10, 100, 1000))))
        if kind == "s":
            return "".join(rng.choice(SIGNS) for _ in range(rng.randint(1, 5)))
        if kind == "r":
            return rng.choice(RUNS) * rng.randint(2, 12)
        if kind == "a" and rng.random() < 0.25:
            return filled(rng, rng.choice(forms), forms)
        return _word(rng) if kind == "w" else _name(rng)

    return re.sub("~([nwdasr])", part, form)


def piece(rng: random.Random) -> list[Word]:
    """A short piece of program text, as it stands among words; typewritten for the most part."""
    forms = rng.choice(tuple(FORMS.values()))
    return plain(filled(rng, rng.choice(forms), forms), rng.choice(("m", "m", "m", "m", "", "mb", "mi", "i")))


def listing(rng: random.Random, length: int) -> list[Word]:
    """About `length` characters of program text in one language, at times with the number of a line first."""
    forms = rng.choice(tuple(FORMS.values()))
    words = plain(str(rng.randint(1, 600))) if rng.random() < 0.15 else []
    while length > 0:
        text = filled(rng, rng.choice(forms), forms)
        words += plain(text, rng.choice(("", "", "", "", "b", "i")))
        length -= len(text) + 1
    return words
