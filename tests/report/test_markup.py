"""Escaping: text never becomes markup by accident."""

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.report.markup import Markup, tag

HOSTILE = "\"'><script>alert(1)</script>&amp;"


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.opened, self.text = [], ""

    def handle_starttag(self, name, attributes):
        self.opened.append((name, dict(attributes)))

    def handle_data(self, data):
        self.text += data


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="\r\x00", exclude_categories=["Cs"])))
def test_a_parser_reads_back_what_was_given(text):
    reader = Reader()
    reader.feed(tag("p", text, title=text))
    reader.close()
    assert reader.opened == [("p", {"title": text})]
    assert reader.text == text


def test_hostile_text_opens_no_element():
    reader = Reader()
    reader.feed(tag("p", HOSTILE, [HOSTILE], tag("b", HOSTILE), data_name=HOSTILE))
    assert [name for name, _ in reader.opened] == ["p", "b"]
    assert reader.text == 3 * HOSTILE


def test_markup_is_kept_and_none_left_out():
    assert tag("p", Markup("<b>1</b>"), None, 2, ["a", ("b",)]) == "<p><b>1</b>2ab</p>"


def test_joining_markup_by_plus_loses_the_mark():
    # adding strings gives a plain one, which is escaped: the safe way to be wrong
    assert tag("p", Markup("<i>") + "<script>") == "<p>&lt;i&gt;&lt;script&gt;</p>"


def test_attributes():
    assert tag("rect", x=1.0, y=0.333333, rx=2, class_="bar") == (
        '<rect x="1" y="0.33" rx="2" class="bar"></rect>'
    )
    assert tag("input", disabled=True, hidden=False, list=None) == "<input disabled>"
