"""Write the pages of the gallery from what its scripts print and draw.

python scripts/write_gallery.py           # all of them
python scripts/write_gallery.py rules     # docs/gallery/rules.py only

A script is plain Python. Its docstring holds the title and what the page begins with. Comments
after a line "# %%" are text in markdown, everything else is code. Behind each piece of code comes
what it printed and the figures that it left open.
"""

import contextlib
import io
import re
import shutil
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "docs" / "gallery"
MARK = "# %%\n"
STYLE = {
    "figure.dpi": 100,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "labelfield",  # the same picture is the same file
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def pieces(script):
    """Return the parts of a script in order, as pairs of text in markdown and code."""
    head, *rest = script.split(MARK)
    found = [(re.match(r'"""(.*?)"""', head, re.DOTALL)[1].strip(), head.split('"""', 2)[2])]
    for part in rest:
        lines = part.splitlines()
        n_text = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
        text = "\n".join(line[2:] for line in lines[:n_text])
        found.append((text, "\n".join(lines[n_text:])))
    return [(text, code.strip()) for text, code in found]


def page(path, pictures):
    """Run a script and return its page; its figures are written into the folder `pictures`."""
    import matplotlib as mpl
    import matplotlib.pyplot

    mpl.use("agg")
    mpl.pyplot.close("all")  # figures of whoever ran before are not the script's
    module = ModuleType(f"gallery_{path.stem}")
    sys.modules[module.__name__] = module  # so that its classes and functions can be saved
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("error")
        parts, count = [], 0
        for text, code in pieces(path.read_text(encoding="utf-8")):
            parts.append(text)
            if code:
                printed = _run(code, module, path)
                names = _save_figures(pictures, path.stem, count)
                count += len(names)
                parts.append(f"```python\n{code}\n```")
                parts += [f"```text\n{printed.rstrip()}\n```"] if printed.strip() else []
                parts += [f"![{alt}](images/{name})" for name, alt in names]
    source = f"Script: `docs/gallery/{path.name}`; this page is what it printed and drew."
    return "\n\n".join([*parts, source]) + "\n"


def _run(code, module, path):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, path.name, "exec"), vars(module))
    return printed.getvalue()


def _save_figures(pictures, stem, count):
    """Write all open figures; return their file names and what they show, in words."""
    from matplotlib import pyplot as plt

    saved = []
    for k, number in enumerate(plt.get_fignums(), start=count + 1):
        figure, name = plt.figure(number), f"{stem.replace('_', '-')}-{k}.svg"
        figure.savefig(pictures / name, metadata={"Date": None}, bbox_inches="tight")
        saved.append((name, figure.get_label() or name))
        plt.close(figure)
    return saved


def index(pages):
    """Return the first page of the gallery: titles, first sentences and first pictures."""
    cards = []
    for stem, text in pages.items():
        title = re.match(r"# (.*)", text)[1]
        sentence = re.search(r"\n\n([^#`!].*?\.)(?=\s)", text, re.DOTALL)[1].replace("\n", " ")
        name = f"{stem.replace('_', '-')}.md"
        picture = re.search(r"!\[.*?\]\((.*?)\)", text)
        image = f"\n\n    [![]({picture[1]}){{ width=240 }}]({name})" if picture else ""
        cards.append(f"-   [**{title}**]({name})\n\n    {sentence}{image}")
    intro = (
        "# Gallery\n\nEach page is a script of `docs/gallery` with what it printed and drew. All "
        "of them run in a few seconds, on data that come with labelfield or are generated."
    )
    grid = "\n\n".join(cards)
    return f'{intro}\n\n<div class="grid cards" markdown>\n\n{grid}\n\n</div>\n'


def main(stems):
    """Write the pages of the named scripts, or of all, and the index."""
    pictures = FOLDER / "images"
    pictures.mkdir(exist_ok=True)
    for path in sorted(FOLDER.glob("*.py")):
        if not stems or path.stem in stems:
            target = FOLDER / f"{path.stem.replace('_', '-')}.md"
            with TemporaryDirectory() as scratch, contextlib.chdir(scratch):
                text = page(path, Path(scratch))
                for old in pictures.glob(f"{target.stem}-[0-9]*.svg"):
                    old.unlink()
                for new in Path(scratch).glob("*.svg"):
                    shutil.copy(new, pictures)
            target.write_text(text, encoding="utf-8")
            print(target)
    written = {
        path.stem: (FOLDER / f"{path.stem.replace('_', '-')}.md").read_text(encoding="utf-8")
        for path in sorted(FOLDER.glob("*.py"))
    }
    (FOLDER / "index.md").write_text(index(written), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
