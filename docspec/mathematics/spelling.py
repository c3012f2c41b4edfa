"""LaTeX's commands for signs, alphabets, functions and accents."""

from __future__ import annotations

import unicodedata

COMMANDS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ϵ": "epsilon", "ε": "varepsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "vartheta", "ι": "iota", "κ": "kappa", "ϰ": "varkappa", "λ": "lambda", "μ": "mu",
    "\u00b5": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ϖ": "varpi", "ρ": "rho", "ϱ": "varrho", "σ": "sigma", "ς": "varsigma", "τ": "tau",
    "υ": "upsilon", "ϕ": "phi", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi",
    "Ω": "Omega", "∑": "sum", "∏": "prod", "∐": "coprod", "∫": "int", "∬": "iint", "∭": "iiint", "∮": "oint",
    "⋃": "bigcup", "⋂": "bigcap", "⋀": "bigwedge", "⋁": "bigvee", "⨁": "bigoplus", "⨂": "bigotimes", "⨀": "bigodot",
    "⨄": "biguplus", "⨆": "bigsqcup", "∂": "partial", "∇": "nabla", "∞": "infty", "ℏ": "hbar", "ħ": "hbar",
    "ℓ": "ell", "℘": "wp", "ℜ": "Re", "ℑ": "Im", "ℵ": "aleph", "ℶ": "beth", "∅": "emptyset", "∀": "forall",
    "∃": "exists", "∄": "nexists", "¬": "neg", "⊤": "top", "⊥": "perp", "∠": "angle", "′": "prime", "†": "dagger",
    "‡": "ddagger", "♭": "flat", "♯": "sharp", "♮": "natural", "⋅": "cdot", "·": "cdot", "×": "times", "÷": "div",
    "±": "pm", "∓": "mp", "∘": "circ", "◦": "circ", "°": "circ", "∙": "bullet", "∗": "ast", "⋆": "star", "⊕": "oplus",
    "⊖": "ominus", "⊗": "otimes", "⊘": "oslash", "⊙": "odot", "∧": "wedge", "∨": "vee", "∩": "cap", "∪": "cup",
    "⊎": "uplus", "⊓": "sqcap", "⊔": "sqcup", "∖": "setminus", "≀": "wr", "⋄": "diamond", "△": "triangle",
    "≤": "leq", "≥": "geq", "⩽": "leqslant", "⩾": "geqslant", "≪": "ll", "≫": "gg", "≡": "equiv", "∼": "sim",
    "≃": "simeq", "≈": "approx", "≅": "cong", "≠": "neq", "∝": "propto", "≺": "prec", "≻": "succ", "⪯": "preceq",
    "⪰": "succeq", "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset", "⊃": "supset", "⊆": "subseteq",
    "⊇": "supseteq", "⊊": "subsetneq", "⊑": "sqsubseteq", "⊒": "sqsupseteq", "⊢": "vdash", "⊣": "dashv", "⊨": "models",
    "⊩": "Vdash", "≜": "triangleq", "≐": "doteq", "∥": "parallel", "→": "to", "←": "leftarrow", "↔": "leftrightarrow",
    "⇒": "Rightarrow", "⇐": "Leftarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "↑": "uparrow", "↓": "downarrow",
    "⟶": "longrightarrow", "⟵": "longleftarrow", "⟹": "Longrightarrow", "⟸": "Longleftarrow",
    "⟷": "longleftrightarrow", "⟺": "Longleftrightarrow", "⟼": "longmapsto", "↪": "hookrightarrow",
    "↩": "hookleftarrow", "⇀": "rightharpoonup", "↼": "leftharpoonup", "⇁": "rightharpoondown",
    "↽": "leftharpoondown", "⇌": "rightleftharpoons", "↗": "nearrow", "↘": "searrow", "↙": "swarrow", "↖": "nwarrow",
    "⇝": "rightsquigarrow", "↠": "twoheadrightarrow", "…": "ldots", "⋯": "cdots", "⋮": "vdots", "⋱": "ddots",
    "⟨": "langle", "⟩": "rangle", "⌊": "lfloor", "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil", "□": "square",
    "■": "blacksquare", "◊": "lozenge", "ı": "imath", "ȷ": "jmath", "∁": "complement", "∴": "therefore",
    "∵": "because", "⋉": "ltimes", "⋊": "rtimes", "≲": "lesssim", "≳": "gtrsim", "⊴": "trianglelefteq",
    "⊵": "trianglerighteq", "⊲": "vartriangleleft", "⊳": "vartriangleright", "⋔": "pitchfork", "∔": "dotplus",
    "§": "S", "¶": "P", "£": "pounds", "ð": "eth", "◁": "triangleleft", "▷": "triangleright",
    "◀": "blacktriangleleft", "▶": "blacktriangleright", "▲": "blacktriangle", "▼": "blacktriangledown",
    "▽": "triangledown", "◯": "bigcirc", "★": "bigstar", "◇": "Diamond", "◆": "blacklozenge", "♠": "spadesuit",
    "♥": "heartsuit", "♡": "heartsuit", "♦": "diamondsuit", "♢": "diamondsuit", "♣": "clubsuit", "✓": "checkmark",
}  # fmt: skip
_PLAIN = {
    "−": "-", "∶": ":", "{": r"\{", "}": r"\}", "‖": r"\|", "\\": r"\backslash ", "%": r"\%", "$": r"\$", "#": r"\#",
    "&": r"\&", "_": r"\_", "∗": "*", "‐": "-", "–": "-", "’": "'", "∣": "|", "~": r"\sim ", "^": r"\wedge ",
}  # fmt: skip

RELATIONS = frozenset("=<>≤≥⩽⩾≪≫≡∼≃≈≅≠∝≺≻⪯⪰∈∉∋⊂⊃⊆⊇⊊⊑⊒⊢⊣⊨⊩≜≐→←↔⇒⇐⇔↦⟶⟵⟹⟸⟷⟺⟼↪↩⇀↼⇁↽⇌:∶≲≳⊴⊵")
BINARY = frozenset("+−±∓×÷⋅·∘∗⊕⊖⊗⊙∧∨∩∪∖⋆∙")
ARROWS = frozenset("→←↔⇒⇐⇔⟶⟵⟹⟸⟷⟺⟼↦⇌")

FUNCTIONS = frozenset(
    (
        "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp",
        "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec",
        "sin", "sinh", "sup", "tan", "tanh",
    )
)  # fmt: skip
"""Names that LaTeX has a command for."""

MORE_FUNCTIONS = frozenset(
    (
        "mod", "sgn", "sign", "tr", "Tr", "rank", "diag", "div", "grad", "curl", "rot", "span", "supp",
        "argmax", "argmin", "erf", "ord", "lcm", "Re", "Im", "Res", "Hom", "End", "Aut", "Gal", "id", "vol",
        "Vol", "Var", "Cov", "arcsec", "arccot", "arccsc", "sech", "csch", "card", "diam", "dist", "Spec",
        "Proj", "coker", "im", "const", "cl", "int", "conv",
    )
)  # fmt: skip
"""Names that are written upright in formulas without a command of their own."""

WITH_LIMITS = frozenset(["lim", "liminf", "limsup", "max", "min", "sup", "inf", "det", "gcd", "Pr", "argmax", "argmin"])

ALPHABETS = {"bf": "mathbf", "bb": "mathbb", "cal": "mathcal", "frak": "mathfrak", "sf": "mathsf", "tt": "mathtt",
             "bi": "boldsymbol", "rm": "mathrm"}  # fmt: skip

ACCENTS = {"^": ("hat", "widehat"), "~": ("tilde", "widetilde"), "¯": ("bar", "overline"), "˙": ("dot", "dot"),
           "¨": ("ddot", "ddot"), "⃗": ("vec", "overrightarrow"), "ˇ": ("check", "check"), "˘": ("breve", "breve"),
           "´": ("acute", "acute"), "`": ("grave", "grave"), "˚": ("mathring", "mathring"),
           "⃛": ("dddot", "dddot")}  # fmt: skip
"""Of each accent the command over one letter and that over several."""

NEGATED = {"=": r"\neq", "∈": r"\notin", "∃": r"\nexists"}


def sign_in_latex(sign: str) -> str:
    """``sign`` as LaTeX, a command followed by a space. A letter, figure or symbol without a command stands for itself;
    what has no meaning of its own (of private use, control) is left out."""
    if sign in _PLAIN:
        return _PLAIN[sign]
    if sign in COMMANDS:
        return f"\\{COMMANDS[sign]} "
    if len(sign) == 1 and sign.isascii() and sign.isprintable():
        return sign
    folded = unicodedata.normalize("NFKC", sign)
    if folded != sign:
        return "".join(map(sign_in_latex, folded))
    return sign if sign and sign != "\ufffd" and unicodedata.category(sign[0])[0] in "LNS" else ""
