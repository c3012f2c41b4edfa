"""What generated tables say: labels, heads and figures as reports of public agencies have them."""

from __future__ import annotations

from random import Random

STATES = (
    "Alabama",
    "Alaska",
    "Arizona",
    "Arkansas",
    "California",
    "Colorado",
    "Connecticut",
    "Delaware",
    "Florida",
    "Georgia",
    "Hawaii",
    "Idaho",
    "Illinois",
    "Indiana",
    "Iowa",
    "New Hampshire",
    "New Mexico",
    "North Carolina",
    "West Virginia",
)
BUDGET = (
    "Salaries and expenses",
    "Grants to States",
    "Program administration",
    "Research and development",
    "Facilities",
    "Offsetting collections",
    "Information technology",
    "Rent and utilities",
    "Contract services",
    "Travel",
    "Equipment",
    "Interest on the public debt",
    "Training and outreach",
    "Supplies and materials",
)
GROUPS = ("Male", "Female", "White", "Black or African American", "Hispanic", "Asian", "Under 5 years", "65 and over")
POLLUTANTS = ("Carbon monoxide", "Lead", "Nitrogen dioxide", "Ozone", "PM-10", "Sulfur dioxide", "Benzene", "Mercury")
CROPS = ("Corn", "Sorghum", "Barley", "Oats", "Wheat, winter", "Wheat, spring", "Soybeans", "Cotton", "Rice", "Peanuts")
SPECIES = ("Chinook salmon", "Coho salmon", "Pacific halibut", "Dover sole", "Sablefish", "Walleye pollock", "Lingcod")
LONG = (
    "Number of facilities that reported releases of any listed chemical in the year",
    "Households with income below the poverty level that received assistance",
    "Students who completed the core curriculum recommended for high school graduates",
    "Vessels of more than 60 feet that landed groundfish in the limited entry fishery",
    "Average annual percent change in expenditures for outpatient hospital services",
    "Persons employed in the civilian labor force, not seasonally adjusted",
    "Acres enrolled in the conservation reserve at the end of the fiscal year",
)
REMARKS = (
    "Not to be exceeded more than once per year on average over 3 years",
    "Applies to sources that emit more than 10 tons per year of one pollutant",
    "Measured at the point of discharge by a certified laboratory",
    "Annual mean, averaged over the calendar year",
    "Reports are due on the first day of the second month of each quarter",
    "Fourth highest daily maximum concentration, averaged over three years",
    "No standard has been set for this source category",
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec")
PROSE = (
    "The estimates in this report are based on responses from a sample of the population and may differ from "
    "actual values because of sampling variability and other factors. As a result, apparent differences "
    "between the estimates for two or more groups may not be statistically significant. All comparative "
    "statements have undergone statistical testing and are significant at the 90 percent confidence level "
    "unless otherwise noted. In fiscal year 2009 the program obligated 214.6 million dollars, of which 38 "
    "percent went to the 12 largest grantees. The remainder was divided among 146 smaller agencies, and the "
    "number of participants rose from 1,204 to 1,377 in the same period. Section 305 of the Act requires that "
    "each State submit a plan every two years. "
)


def figure(rng: Random, kind: str) -> str:
    """One entry of a column of this ``kind``."""
    if kind == "int":
        return f"{int(10 ** rng.uniform(2, 6)):,}"
    if kind == "small":
        return str(rng.randint(0, 99))
    if kind == "pct":
        return f"{rng.uniform(0, 99):.1f}"
    if kind == "percent":
        return f"{rng.uniform(0, 60):.0f}%"
    if kind == "dec3":
        return f"{rng.uniform(0, 2):.3f}"
    if kind == "signed":
        return f"{rng.choice('+-')}{rng.uniform(0, 20):.1f}"
    if kind == "paren":
        whole = f"{int(10 ** rng.uniform(2, 5)):,}"
        return f"({whole})" if rng.random() < 0.3 else whole
    if kind == "range":
        low = rng.uniform(1, 9)
        return f"{low:.1f}-{low + rng.uniform(0.5, 3):.1f}"
    if kind == "mean":
        return f"{rng.uniform(1, 90):.1f} ± {rng.uniform(0.1, 5):.1f}"
    if kind == "p":
        return rng.choice(("<0.001", "0.03", "0.47", "NS", "0.012"))
    if kind == "yes":
        return rng.choice(("Yes", "No", "Yes", "n/a"))
    return kind


def gapped(rng: Random, text: str, share: float = 0.08) -> str:
    """``text``, or now and then what stands where there is no figure."""
    return rng.choice(("-", "--", "NA", "(X)", "...", "")) if rng.random() < share else text
