"""# Restore a table with holes and wrong cells

Numbers and categories of one table inform each other. `RandomMixedField` learns how, fills what is
missing and corrects what is likely wrong.
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)


def make_houses(n):
    """Return a table in which size, rooms, price, heating and district depend on each other."""
    district = rng.choice(["centre", "suburb", "village"], n, p=[0.3, 0.5, 0.2])
    size = rng.normal(110, 30, n) - 35 * (district == "centre") + 25 * (district == "village")
    extra = np.select([district == "centre", district == "suburb"], [200, 0], -150)
    heating = np.where(rng.random(n) < 0.15 + 0.6 * (district == "village"), "oil", "gas")
    return pd.DataFrame(
        {
            "size": size.round(1),
            "rooms": (size / 28 + rng.normal(0, 0.5, n)).round().clip(1),
            "price": (4.5 * size + extra + rng.normal(0, 30, n)).round(),
            "heating": heating,
            "district": district,
        }
    )


clean, truth = make_houses(800), make_houses(200)
damaged = truth.copy()
holes = rng.random(truth.shape) < 0.2
damaged = damaged.mask(holes)
wrong = (rng.random(200) < 0.1) & damaged["district"].notna().to_numpy()
damaged.loc[wrong, "district"] = rng.choice(["centre", "suburb", "village"], wrong.sum())
print(damaged.head(4).to_string())

# %%
# ## Fill the holes

from labelfield import RandomMixedField

model = RandomMixedField(random_state=0).fit(clean)
filled = model.transform(damaged)
print(filled.head(4).round(1).to_string())

# %%
# How far off are the filled cells? Beside them stands what everybody can do: the mean, or the most
# frequent value.

for column in ("size", "price", "heating", "district"):
    gap = holes[:, truth.columns.get_loc(column)]
    answers = [filled[column][gap], truth[column][gap]]
    if truth[column].dtype.kind == "f":
        error = np.sqrt(((answers[0] - answers[1]) ** 2).mean())
        plain = np.sqrt(((clean[column].mean() - answers[1]) ** 2).mean())
        print(f"{column:9} root mean square error {error:6.1f}, of the mean {plain:6.1f}")
    else:
        error = (answers[0] != answers[1]).mean()
        plain = (clean[column].mode()[0] != answers[1]).mean()
        print(f"{column:9} share wrong {error:17.2f}, of the most frequent {plain:.2f}")

# %%
# ## Correct wrong cells
#
# With a flip rate the field also doubts what it sees, and `changes` lists what it would correct,
# most surprising first.

model.set_params(flip_rate=0.05)
result = model.restore(damaged)
seen = damaged["district"].notna()
was_wrong = seen & (damaged["district"] != truth["district"])
mended = seen & (damaged["district"] != result.table["district"])
to_truth = mended & (result.table["district"] == truth["district"])
print(f"wrong: {was_wrong.sum()}, corrected: {mended.sum()}, to the truth: {to_truth.sum()}")
for change in result.changes(3):
    print(change.row, change.column, change.before, "->", change.after)

# %%
# ## What depends on what

ax = model.graph_.plot()
ax.figure.set_label("Columns of the table and the couplings between them")
