"""What a page is made of, read by a parser."""

from html.parser import HTMLParser

VOID = {"meta", "input", "img", "br", "hr"}


class Outline(HTMLParser):
    """Checks nesting; keeps elements, identifiers and texts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.ids, self.text = [], [], [], ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self.ids += [value for key, value in attributes if key == "id"]
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text += data
