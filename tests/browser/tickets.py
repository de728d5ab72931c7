"""Tickets to review: texts made of phrases, labels that hang together, names that bite."""

import csv
import random

__all__ = ["BITING", "write_tickets"]

BITING = "<img src=x onerror=window.hacked=1>"
PHRASES = {
    "billing": ["the invoice is wrong", "I was charged twice", "the amount on my card is too high"],
    "refund": ["I want my money back", "please return the amount", "refund the order"],
    "delivery": ["the parcel never came", "it arrived a week late", "the courier left no note"],
    "damaged": ["the box was crushed", "the screen is broken", "it came in pieces"],
    "return": ["where do I send it back", "I would like to return it"],
    "account": ["I cannot sign in", "my password is refused", "change my address"],
    "urgent": ["I need it tomorrow", "this is the third time I write", "answer today"],
    BITING: ["<script>window.hacked=1</script>", "\"><svg onload='window.hacked=1'>"],
}
BUNDLES = [
    (("billing", "refund"), 5),
    (("billing",), 4),
    (("delivery",), 5),
    (("delivery", "urgent"), 3),
    (("damaged", "return"), 4),
    (("damaged", "refund", "return"), 3),
    (("account",), 4),
    (("account", "urgent"), 2),
    ((BITING,), 1),
]


def write_tickets(path, n, seed, labelled):
    """Write n tickets; half of the phrases that would give a label away are left out."""
    rng = random.Random(seed)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "note", "channel", *(["tags"] if labelled else [])])
        for i in range(n):
            labels = rng.choices([b for b, _ in BUNDLES], [w for _, w in BUNDLES])[0]
            said = [rng.choice(PHRASES[label]) for label in labels if rng.random() < 0.75]
            said.append(rng.choice(["Hello, thank you.", "Regards.", "My order was 4711."]))
            rng.shuffle(said)
            row = [f"T{seed}{i:04d}", ". ".join(said), rng.choice(["mail", "phone", "form"])]
            writer.writerow([*row, *([";".join(labels)] if labelled else [])])
