"""A toy problem, written in every format that commands read."""

import numpy as np

LABELS = ("sea", "sun", "sand")
FEATURES = ("blue", "yellow", "grain", "noise")


def toy(n, seed):
    """Features and labels of which sand follows from the other two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(3)
    sea = X[:, 0] + 0.3 * rng.normal(size=n) > 0
    sun = X[:, 1] + 0.3 * rng.normal(size=n) > 0
    return X, np.stack([sea, sun, sea & sun], axis=1).astype(int)


def write_arff(path, X, Y):
    header = ["@relation toy"]
    header += [f"@attribute {name} numeric" for name in FEATURES]
    header += [f"@attribute {name} {{0,1}}" for name in LABELS]
    rows = [",".join([*map(str, x), *map(str, y)]) for x, y in zip(X.tolist(), Y.tolist())]
    path.write_text("\n".join([*header, "@data", *rows]) + "\n")
    return path


def write_xml(path):
    names = "".join(f'<label name="{name}"></label>' for name in LABELS)
    path.write_text(f'<?xml version="1.0"?><labels>{names}</labels>')
    return path


def write_csv(path, X, Y):
    rows = [",".join([*map(str, x), *map(str, y)]) for x, y in zip(X.tolist(), Y.tolist())]
    path.write_text("\n".join([",".join([*FEATURES, *LABELS]), *rows]) + "\n")
    return path


def write_tags(path, X, Y):
    tags = [";".join(n for n, on in zip(LABELS, y) if on) for y in Y]
    rows = [",".join([*map(str, x), tag]) for x, tag in zip(X.tolist(), tags)]
    path.write_text("\n".join([",".join([*FEATURES, "tags"]), *rows]) + "\n")
    return path


def write_svmlight(path, X, Y):
    rows = [
        ",".join(str(j) for j in np.flatnonzero(y))
        + " "
        + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x))
        for x, y in zip(X.tolist(), Y)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


def write_all(folder, stem, X, Y):
    """Write the same rows as stem.arff, stem.xml, stem.csv, stem-tags.csv and stem.svm."""
    write_arff(folder / f"{stem}.arff", X, Y)
    write_xml(folder / f"{stem}.xml")
    write_csv(folder / f"{stem}.csv", X, Y)
    write_tags(folder / f"{stem}-tags.csv", X, Y)
    write_svmlight(folder / f"{stem}.svm", X, Y)


TICKET_WORDS = ("refund", "invoice", "late", "broken", "thanks", "parcel", "card", "screen")
TICKET_CODES = ("broken", "late", "refund")


def tickets(n, seed):
    """A pandas frame with a column of every kind, and codes that the words of a message tell."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 5000, n), "h")
    frame = pd.DataFrame(
        {
            "ticket": [f"T-{seed}{j:04d}" for j in range(n)],
            "when": when.strftime("%d.%m.%Y %H:%M"),
            "country": rng.choice(["FR", "DE", "PT", None], n),
            "amount": np.where(rng.random(n) < 0.1, np.nan, rng.gamma(2.0, 20.0, n).round(2)),
            "zip": [f"{37 * j:05d}" for j in rng.integers(0, 30, n)],
            "message": [" ".join(rng.choice(TICKET_WORDS, 6)) for _ in range(n)],
            "shop": "main",
        }
    )
    frame["codes"] = [";".join(w for w in TICKET_CODES if w in t) for t in frame["message"]]
    return frame


def write_tickets(path, n, seed):
    tickets(n, seed).to_csv(path, index=False)
    return path
