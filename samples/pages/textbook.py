"""Textbook: a section on exponential decay with display and inline formulas."""

from samples.press.blocks import Formula, Frame, Furniture, Heading, Para, Sheet, Title, Zone, roles

LOOK = roles(
    "serif",
    title={"size": 14.0, "rows": 1.5, "after": 0.0},
    body={"after": 0.25},
    heading={"size": 10.0, "rows": 1.0, "after": 0.25},
    caption={"after": 0.25, "before": 0.25},
    formula={"before": 0.0, "after": 0.25, "size": 9.5},
)

SHEET = Sheet(
    furniture=(
        Furniture("Chapter 4. Rates of change", 1, "left", "serif-i", margin=20.04),
        Furniture("131", 1, "right", margin=20.04),
    ),
    zones=(
        Zone(
            (Frame(20.04, 213.36, 2.25, 26),),
            (
                Title("4.3 Exponential decay"),
                Para("A quantity $y$ that loses a fixed share of itself in every second obeys the equation"),
                Formula(r"\frac{dy}{dt} = -k y, \quad k > 0.", "4.6"),
                Para("Separating the variables and integrating gives"),
                Formula(r"\int_{y_0}^{y} \frac{du}{u} = -k \int_{0}^{t} ds"),
                Para(
                    r"Hence $\ln y - \ln y_0 = -kt$, and the solution is $y = y_0 e^{-kt}$. After one "
                    r"half-life $T$ just half of $y_0$ is left, which gives"
                ),
                Formula(r"T = \frac{\ln 2}{k} \approx \frac{0.693}{k}.", "4.7"),
                Para("<b>Example.</b> A bone holds 62% of its carbon-14. With a half-life of 5730 years, its age is"),
                Formula(r"t = \frac{5730}{\ln 2} \ln \left( \frac{1}{0.62} \right) \approx 3950 \;\text{years}."),
                Heading("Counting decays"),
                Para(
                    r"A counter that reads $N$ is uncertain by $\sqrt{N}$. If it is read once a second, the "
                    r"expected total of all readings is a geometric series,"
                ),
                Formula(r"\sum_{n=0}^{\infty} N_0 e^{-kn} = \frac{N_0}{1 - e^{-k}}."),
            ),
            LOOK,
        ),
    ),
)
