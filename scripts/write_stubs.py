"""Write src/labelfield/__init__.pyi, from which editors complete the public names.

python scripts/write_stubs.py
"""

from pathlib import Path

import labelfield

PATH = Path(labelfield.__file__).with_suffix(".pyi")


def stub():
    """Return the text of the stub file."""
    lines = ['"""Public names for editors; written by scripts/write_stubs.py."""', ""]
    homes = sorted(set(labelfield._HOME_OF.values()))
    for home in homes:
        names = sorted(name for name, where in labelfield._HOME_OF.items() if where == home)
        lines += [f"from labelfield.{home} import {name} as {name}" for name in names]
    lines += ["", "__version__: str", "__all__: list[str]"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
