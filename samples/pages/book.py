"""Book: the opening page of a chapter, justified, with dialogue."""

from samples.press.blocks import Frame, Furniture, Para, Sheet, Title, Zone, roles

LOOK = roles(
    "serif",
    byline={"align": "center", "size": 9.0, "after": 0.0},
    title={"font": "serif", "size": 15.0, "rows": 2.0, "align": "center", "after": 1.0},
    body={"align": "justify", "indent": 12.0},
)

SHEET = Sheet(
    furniture=(Furniture("The Keeper of Gannet Point", 1, font="serif-i"), Furniture("83", 28.25)),
    zones=(
        Zone(
            (Frame(23.04, 207.36, 3, 25),),
            (
                Para("Chapter Seven", "byline"),
                Title("The Lamp Room"),
                Para(
                    "Nobody had told Agnes that the stairs would be so narrow. She climbed sideways, one "
                    "hand on the rope, with the oil can knocking against her knee at every step, and "
                    "counted aloud to keep her mind off the drop. At ninety-four she stopped counting. At "
                    "the hundred and twelfth step there was a door, and behind the door there was nothing "
                    "but light."
                ),
                Para(
                    "“Mind the glass,” said her uncle. He was sitting on an upturned bucket with a cloth "
                    "over his shoulder, polishing something that looked like the inside of an enormous "
                    "onion. “Four hundred and eight pieces, and I know every one of them. Put the can down "
                    "by the wall.”"
                ),
                Para(
                    "She put it down. Far below, the morning boat was drawing a white line across the "
                    "sound, and the people on its deck were no bigger than pepper. It seemed impossible "
                    "that she had been one of them on Tuesday."
                ),
                Para("“Does it ever go out?” she asked."),
                Para(
                    "He thought about this for so long that she supposed he had not heard. “Once,” he said "
                    "at last, and went on polishing."
                ),
            ),
            LOOK,
        ),
    ),
)
