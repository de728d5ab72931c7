"""The elements of figures: text never becomes markup by accident."""

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from labelfield.report.figures.svg import tag

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
    reader.feed(tag("g", HOSTILE, [HOSTILE], tag("text", HOSTILE), data_name=HOSTILE))
    assert [name for name, _ in reader.opened] == ["g", "text"]
    assert reader.text == 3 * HOSTILE


def test_markup_is_kept_and_none_left_out():
    assert tag("g", Markup("<b>1</b>"), None, 2, ["a", ("b",)]) == "<g><b>1</b>2ab</g>"


def test_text_added_to_markup_is_escaped():
    assert tag("g", Markup("<i>") + "<script>") == "<g><i>&lt;script&gt;</g>"


def test_attributes():
    assert tag("rect", x=1.0, y=0.333333, rx=2, class_="bar", fill=None) == (
        '<rect x="1" y="0.33" rx="2" class="bar"></rect>'
    )
