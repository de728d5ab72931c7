"""The review desk in a real browser: `make test-browser`.

Needs Debian's chromium (apt-get install chromium) and Playwright's package; without them the tests
are skipped. With LABELFIELD_SCREENSHOTS=FOLDER the pictures of the docs are made on the way.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from browser.tickets import BITING, write_tickets
from labelfield.desk.record import Record
from labelfield.desk.record.tables import cases, decisions

MISSING = "playwright or axe are not installed: pip install 'labelfield[browser]'"
playwright = pytest.importorskip("playwright.sync_api", reason=MISSING)
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=MISSING)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(900),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium"),
]
WAIT = 120_000  # milliseconds; only a busy machine needs them


def labelfield(*words):
    return [sys.executable, "-m", "labelfield.cli", *map(str, words)]


class Server:
    """`labelfield review` in a process that can be killed and started again."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None
        self.port = "0"
        self.links = {}

    def start(self):
        words = ["review", "model.lf", "new.csv", "--text", "note", "--id", "id"]
        words += ["--port", self.port, "--no-browser", "--accuracy", "0.8", "--audit", "0.3"]
        words += ["--reviewer", "anna", "--reviewer", "ben", "--double", "0.2"]
        with open(self.folder / "log.txt", "a") as log:
            self.process = subprocess.Popen(
                labelfield(*words), cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True
            )
        while len(self.links) < 2 or self.process.stdout is None:
            line = self.process.stdout.readline()
            assert line, (self.folder / "log.txt").read_text()[-2000:]
            found = re.match(r"(anna|ben): (http://127.0.0.1:(\d+)/enter\S+)", line)
            if found:
                self.links[found[1]], self.port = found[2], found[3]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.links = {}

    def stop(self):
        self.process.terminate()
        assert self.process.wait(60) in (0, 130, -signal.SIGTERM, 143)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    write_tickets(folder / "old.csv", 400, seed=1, labelled=True)
    write_tickets(folder / "new.csv", 120, seed=2, labelled=False)
    fit = labelfield("fit", "old.csv", "--tags", "tags", "--text", "note", "--id", "id")
    fit += ["--set", "budget=quick", "--out", "model.lf"]
    subprocess.run(fit, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    server = Server(folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox"] if os.getuid() == 0 else []
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def sign_in(browser, server):
    """Open the desk as a reviewer; at the end no page may have complained."""
    complaints, contexts = [], []

    def open_as(reviewer, **options):
        context = browser.new_context(viewport={"width": 1100, "height": 820}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.goto(server.links[reviewer])
        page.wait_for_selector("#labels li")
        return page

    yield open_as
    for context in contexts:
        context.close()
    assert [one for one in complaints if "ERR_CONNECTION_REFUSED" not in one] == []


def status(page, words):
    """Wait until the page says something."""
    page.wait_for_function(
        "words => document.getElementById('status').textContent.includes(words)", arg=words
    )


def settle(page):
    """Settle the case that is shown, by keyboard; return its name."""
    name = page.inner_text("#case-name")
    if page.locator("#labels input:checked").count() == 0:
        page.keyboard.press("1")
        page.wait_for_selector("#labels .touched")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "name => document.getElementById('case-name').textContent !== name", arg=name
    )
    status(page, "Saved.")
    return name


def decided(server, name=None):
    record = Record(server.folder / "new.review")
    wanted = select(cases.c.name, decisions.c.reviewer, decisions.c.verdict).join(
        cases, cases.c.id == decisions.c.case
    )
    with record.reading() as connection:
        rows = connection.execute(wanted.order_by(decisions.c.id)).all()
    record.close()
    return [tuple(row) for row in rows if name in (None, row.name)]


def photograph(page, name):
    folder = os.environ.get("LABELFIELD_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=name == "desk-monitor")


def show_helped(page, least=0):
    """Pass over cases that are shown blind, or whose text is shorter than some letters."""
    while page.locator("#alternatives-part").is_hidden() or len(page.inner_text("#texts")) < least:
        name = page.inner_text("#case-name")
        page.keyboard.press("s")
        page.wait_for_function(
            "name => document.getElementById('case-name').textContent !== name", arg=name
        )


def test_ten_cases_by_keyboard_and_undo(sign_in, server):
    page = sign_in("anna")
    before = len(decided(server))
    names = [settle(page) for _ in range(10)]
    assert len(set(names)) == 10
    assert [row[0] for row in decided(server)[before:]] == names
    page.keyboard.press("u")
    status(page, "Undone.")
    assert page.inner_text("#case-name") == names[-1]
    assert [row[2] for row in decided(server, names[-1])] == ["set", "withdrawn"]
    page.keyboard.press("n")
    page.keyboard.type("seen twice")
    page.keyboard.press("Escape")
    settle(page)
    page.keyboard.press("x")
    status(page, "Saved.")
    assert decided(server)[-1][2] == "unsure"


def test_labels_move_with_each_other(sign_in):
    page = sign_in("anna")
    show_helped(page, least=60)
    photograph(page, "desk-case")
    shown = page.inner_text("#labels")
    assert page.inner_text("#hint").startswith("The ticked set is right with probability")
    page.keyboard.press("/")
    page.keyboard.type("damag")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.wait_for_function(
        "shown => document.getElementById('labels').innerText !== shown", arg=shown
    )
    page.wait_for_selector("#labels .touched")
    page.wait_for_load_state("networkidle")
    assert page.inner_text("#hint").startswith("Given what you said, the ticked set has")
    photograph(page, "desk-live")
    page.keyboard.press("Shift+Digit1")
    page.wait_for_load_state("networkidle")
    page.locator("#reasons-part summary").click()
    page.wait_for_selector("#reasons dt")


def test_two_reviewers_never_see_the_same_case(sign_in, server):
    anna, ben = sign_in("anna"), sign_in("ben")
    before = len(decided(server))
    for _ in range(4):
        assert anna.inner_text("#case-name") != ben.inner_text("#case-name")
        settle(anna)
        settle(ben)
    assert len(decided(server)) == before + 8


def test_nothing_is_lost_when_the_server_is_killed(sign_in, server):
    page = sign_in("anna")
    show_helped(page)
    name = page.inner_text("#case-name")
    had = len(decided(server, name))
    server.kill()
    page.keyboard.press("Enter")
    status(page, "Not saved yet")
    server.start()
    page.wait_for_function(
        "name => document.getElementById('case-name').textContent !== name", arg=name
    )
    status(page, "Saved.")
    assert len(decided(server, name)) == had + 1
    settle(page)


def test_names_and_texts_stay_text(sign_in):
    page = sign_in("ben")
    page.keyboard.press("/")
    page.keyboard.type("<img")
    page.wait_for_function(
        "name => document.getElementById('labels').innerText.includes(name)", arg=BITING
    )
    assert page.evaluate("window.hacked") is None
    assert page.locator("#labels img, #texts script, #texts svg").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_readable_at_400_pixels_and_for_screen_readers(sign_in, scheme):
    page = sign_in("ben", color_scheme=scheme, bypass_csp=True)
    show_helped(page)
    check_with_axe(page)
    if scheme == "dark":
        photograph(page, "desk-dark")
    page.set_viewport_size({"width": 400, "height": 820})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    if scheme == "light":
        photograph(page, "desk-narrow")
    check_with_axe(page)
    page.goto(page.url.rsplit("/", 1)[0] + "/monitor")
    check_with_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.set_viewport_size({"width": 1100, "height": 820})
    if scheme == "light":
        photograph(page, "desk-monitor")


def check_with_axe(page):
    found = axe.Axe().run(page).response["violations"]
    serious = [
        (one["id"], [node["html"][:150] for node in one["nodes"]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
