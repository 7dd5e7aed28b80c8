"""Facts about the page in a browser: what opens, is filtered, linked, copied and typed; and nothing is fetched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_reports import (
    CHUNKS,
    QWEN3,
    every_state,
    hostile,
    large,
    result,
    told,
    violation,
    whole,
    written,
)

from conformance import cli
from conformance.issues import issue_text
from conformance.page.command import TITLE
from conformance.report import read_report
from oracles.pieces import Piece

playwright = pytest.importorskip("playwright.sync_api", reason="playwright isn't installed (tox -e page has it)")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = os.environ.get("CONFORMANCE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here; CONFORMANCE_BROWSER names one")
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--no-first-run",
)  # fmt: skip
WAIT = 20_000
CASE = "#open=mine-1.0/qwen3&at=streamed-equals-split"


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as driver:
        one = driver.chromium.launch(executable_path=BROWSER, args=list(SWITCHES))
        yield one
        one.close()


def until(page, expression: str) -> None:
    """Waits until it is so. The page forbids what playwright's own waiting does: to make code of a text."""
    for _ in range(WAIT // 50):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"it never came that {expression}")


class Opened:
    """A page that is open, what it complained of and what it asked for."""

    def __init__(self, browser, folder: Path, **options) -> None:
        self.folder = folder
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        self.context.set_default_timeout(WAIT)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda told: self.complaints.append(told.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def at(self, address: str = ""):
        """Opens an address of the page."""
        self.page.goto("about:blank")
        self.page.goto(self.folder.joinpath("index.html").as_uri() + address)
        return self.page

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def copied(self, what: str) -> str:
        self.page.locator(f"[data-copy={what}]").click()
        until(self.page, "document.getElementById('said').textContent === 'copied'")
        return self.page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def opened(browser, request) -> Iterator[object]:
    """Opens a folder's page; at the end, holds it to have said nothing and asked for nothing but its own files."""
    several = []

    def open_page(folder: Path, **options) -> Opened:
        several.append(Opened(browser, folder, **options))
        return several[-1]

    yield open_page
    for one in several:
        one.context.close()
        assert one.complaints == []
        own = one.folder.as_uri()
        assert [url for url in one.asked if not url.startswith((own, "about:", "data:"))] == []


def site_of(folder: Path, *reports: Path) -> Path:
    assert cli.main(["page", *map(str, reports), "-o", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A page with every state, a second implementation, and an earlier run of the first."""
    folder = tmp_path_factory.mktemp("page")
    fewer = {
        "nothing-lost": result(
            "nothing-lost", version="0.9", outcome="fail", standing="failed", violation=violation("nothing-lost")
        )
    }
    return site_of(
        folder / "site",
        every_state(folder / "now.jsonl"),
        written(folder / "other.jsonl", whole("kimi_k3", id="other"), [told("other", dialects=["kimi_k3", "qwen3"])]),
        written(
            folder / "early.jsonl", whole("qwen3", fewer, version="0.9"), [told(version="0.9")],
            started="2026-10-01T08:30:00+00:00",
        ),
    )  # fmt: skip


def cell(page, key: str):
    return page.locator(f'td[data-cell="{key}"]')


def test_the_table_has_a_sign_a_check_and_says_what_it_is(opened, site):
    page = opened(site).at()
    assert page.title() == TITLE
    label = cell(page, "mine-1.0/qwen3").get_attribute("aria-label")
    assert label == ("mine 1.0, qwen3: 1 failed, 2 errored, 1 no longer fails, 1 known, 1 advice, 7 passed, 1 skipped")
    assert cell(page, "other-1.0/qwen3").get_attribute("aria-label") == "other 1.0, qwen3: not asked"
    assert cell(page, "other-1.0/mistral").get_attribute("aria-label") == "other 1.0, mistral: not declared"
    assert page.locator(".board thead th").nth(1).inner_text().split("\n")[:3] == ["mine", "1.0", "2026-11-30"]


def test_each_sign_of_a_cell_is_the_state_of_its_check(opened, site):
    page = opened(site).at()
    signs = cell(page, "mine-1.0/qwen3").locator(".sign")
    titles = [sign.get_attribute("title") for sign in signs.all()]
    texts = signs.all_inner_texts()
    found = {title.partition(" ")[0]: text for title, text in zip(titles, texts, strict=True)}
    assert found["streamed-equals-split"] == "F"
    assert found["never-raises"] == "E"
    assert found["chunks-do-not-matter"] == "x"
    assert found["nothing-lost"] == "!"
    assert found["released-at-once"] == "a"
    assert found["whitespace-agrees"] == "s"
    assert found["cost-linear"] == "✓"


def test_a_click_on_a_sign_opens_its_check_and_escape_closes(opened, site):
    page = opened(site).at()
    cell(page, "mine-1.0/qwen3").locator('[title^="chunks-do-not-matter"]').click()
    assert page.locator("#check-title").inner_text().strip().startswith("x chunks-do-not-matter")
    assert page.evaluate("location.hash") == "#open=mine-1.0/qwen3&at=chunks-do-not-matter"
    link = page.locator(".reason a")
    assert (link.inner_text(), link.get_attribute("href")) == (
        "ROCm/ATOM PR 2910", "https://github.com/ROCm/ATOM/issues/2910",
    )  # fmt: skip
    page.keyboard.press("Escape")
    until(page, "!document.getElementById('panel').open")
    assert page.evaluate("location.hash") == ""
    assert page.evaluate("document.activeElement.dataset.cell") == "mine-1.0/qwen3"


def test_a_case_shows_roles_chunks_answers_and_the_oracle(opened, site):
    page = opened(site).at(CASE)
    page.wait_for_selector("article.case")
    chunks = page.locator(".case > .output .chunk")
    assert [text.replace("\n", "") for text in chunks.all_inner_texts()] == [
        "1T", "2R−</think>", "3aR+<th", "4ink>", "5·↵b",
    ]  # fmt: skip
    assert page.locator(".case > .output .piece.reasoning_close").get_attribute("title") == "closes reasoning"
    assert page.locator(".answer.of-split .alike").inner_text() == "= oracle"
    assert page.locator(".answer.of-stream .unlike").inner_text() == "≠ oracle"
    marks = page.locator(".answer.of-stream mark").all_inner_texts()
    assert [mark.replace("\n", "") for mark in marks] == ["·↵b", "∅"]
    assert "reasoning: first difference at 1. content: first difference at 1." in page.locator(".remark").inner_text()
    assert "reopen: text" in page.locator(".policy summary").inner_text()
    assert page.locator(".facts").inner_text().split("\n")[:4] == [
        "kind", "second block: a reasoning opener after reasoning closed", "known as", "FreeToken #711",
    ]  # fmt: skip
    assert page.locator(".case tr", has_text="an opener after reasoning closed is text").count() == 1


def test_a_link_to_a_case_opens_that_case(opened, site):
    page = opened(site).at(f"{CASE}&case=must.declined")
    page.wait_for_selector("article.case")
    assert page.locator(".kinds [aria-current]").inner_text() == "a closer before any words"
    page.locator(".kinds button").first.click()
    assert page.evaluate("location.hash").endswith("case=must.second-block")
    page.go_back()


def test_a_link_to_nothing_says_so(opened, site):
    one = opened(site)
    page = one.at("#open=gone-1.0/qwen3&at=order-kept")
    page.wait_for_selector("#panel[open]")
    assert "no such cell" in page.locator("#panel").inner_text()
    page = one.at("#view=nonsense&state=nonsense&open=mine-1.0/nonsense")
    page.wait_for_selector("#panel[open]")


def test_the_address_holds_filters_and_view(opened, site):
    one = opened(site)
    page = one.at("#view=kinds&q=closer&check=streamed-equals-split&old=1")
    assert page.locator("#words").input_value() == "closer"
    assert page.locator(".kind summary b").all_inner_texts() == ["a closer before any words"]
    page = one.at("#state=failed,errored")
    assert page.locator('[data-menu="state"] .told').inner_text() == "failed, errored"
    assert page.locator(".board tbody tr").count() == 1


def test_filters_leave_what_they_ask_for(opened, site):
    page = opened(site).at()
    assert page.locator(".board tbody th").all_inner_texts() == ["kimi_k3", "mistral", "qwen3"]
    page.locator("#words").fill("second block")
    assert page.locator(".board tbody th").all_inner_texts() == ["qwen3"]
    assert page.locator(".board .sign:not(.off)[data-place]").all_inner_texts() == ["F", "x", "a"]
    page.locator("#words").fill("")
    page.locator('[data-menu="run"] summary').click()
    page.locator('[data-menu="run"] input[value="other"]').check()
    assert page.evaluate("location.hash") == "#run=other"
    assert page.locator(".board thead .run-name").all_inner_texts() == ["other"]
    page.locator("button.clear").click()
    page.locator('[data-menu="dialect"] summary').click()
    page.locator('[data-menu="dialect"] input[value="mistral"]').check()
    assert page.locator(".board tbody th").all_inner_texts() == ["mistral"]
    page.locator("#words").fill("nothing is called so")
    assert "Nothing fits" in page.locator("#view").inner_text()
    page.locator("button.clear").click()
    assert page.locator(".board tbody tr").count() == 3
    assert page.evaluate("location.hash") == ""


def test_earlier_runs_stand_there_where_they_are_asked_for(opened, site):
    page = opened(site).at()
    assert page.locator(".board thead .run-version").all_inner_texts() == ["1.0", "1.0"]
    page.locator("label.old input").check()
    assert page.locator(".board thead .run-version").all_inner_texts() == ["0.9", "1.0", "1.0"]


def test_the_command_copied_is_the_one_of_the_failure(opened, site):
    one = opened(site)
    one.at(CASE).wait_for_selector("article.case")
    case = violation("streamed-equals-split").case
    assert one.copied("command") == f"pytest --impl=mine.adapter --case='{case}'"


def test_the_bug_report_copied_is_the_one_of_the_command_line(opened, site):
    one = opened(site)
    one.at(CASE).wait_for_selector("article.case")
    report = read_report(site.parent / "now.jsonl")
    entry = next(entry for entry in report.entries if entry.verdict.check == "streamed-equals-split")
    assert one.copied("issue") == issue_text(report.header, entry, entry.verdict.violation)


def test_the_link_copied_is_the_address(opened, site):
    one = opened(site)
    one.at(CASE).wait_for_selector("article.case")
    assert one.copied("link") == site.joinpath("index.html").as_uri() + CASE


@pytest.mark.parametrize(
    "pieces",
    [
        (Piece("text", "\u00e9\u4e2d\U0001f600\ud800 \x7f\u2028\"'\\/\x00+\xff"),),
        (Piece("text", "<think>.", "", 4096), Piece("marker", "</think>", "reasoning_close")),
    ],
)
def test_the_script_packs_a_case_as_the_suite_does(opened, tmp_path, pieces):
    found = violation("nothing-lost", pieces=pieces, ends=(1, sum(len(piece.whole) for piece in pieces)))
    failed = result("nothing-lost", outcome="fail", standing="failed", violation=found)
    one = opened(site_of(tmp_path / "site", written(tmp_path / "r.jsonl", [failed])))
    one.at("#open=mine-1.0/qwen3").wait_for_selector("article.case")
    assert one.copied("command").endswith(f"--case='{found.case}'")


def test_the_keyboard_reaches_everything(opened, site):
    page = opened(site).at()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "words"
    page.keyboard.type("qwen3")
    assert page.locator(".board tbody th").all_inner_texts() == ["qwen3"]
    page.keyboard.press("Escape")
    assert page.locator(".board tbody tr").count() == 3
    page.keyboard.press("t")
    where = "document.activeElement.dataset.cell"
    assert page.evaluate(where) == "other-1.0/kimi_k3"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(where) == "other-1.0/mistral"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(where) == "other-1.0/kimi_k3"
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(where) == "mine-1.0/qwen3"
    page.keyboard.press("Enter")
    page.wait_for_selector("article.case")
    page.keyboard.press("n")
    until(page, "location.hash.includes('at=order-kept')")
    page.keyboard.press("p")
    until(page, "location.hash.includes('at=streamed-equals-split')")
    page.keyboard.press("Escape")
    until(page, "!document.getElementById('panel').open")
    assert page.evaluate(where) == "mine-1.0/qwen3"
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    assert page.evaluate("location.hash") == "#view=changes"


def test_two_runs_of_one_implementation_show_what_changed(opened, site):
    page = opened(site).at("#view=changes")
    assert page.locator(".pair h2").inner_text() == "mine 0.9 → 1.0"
    assert "2026-10-01 08:30 UTC → 2026-11-30 12:00 UTC" in page.locator(".pair").inner_text()
    fixed = page.locator(".changes tr", has_text="got fixed")
    assert fixed.count() == 1
    assert "nothing-lost" in fixed.inner_text()
    fixed.get_by_role("link", name="failed").click()
    page.wait_for_selector("article.case")
    assert "mine 0.9" in page.locator("#panel-title").inner_text()


def test_the_runs_tell_versions_and_counts_that_are_never_mixed(opened, site):
    page = opened(site).at("#view=runs")
    heads = page.locator(".runs thead th").all_inner_texts()
    rows = [
        dict(zip(heads, row.locator("th, td").all_inner_texts(), strict=True))
        for row in page.locator(".runs tbody tr").all()
    ]
    now = next(row for row in rows if row["version"] == "1.0" and row["implementation"].startswith("mine"))
    assert {head: now[head] for head in ("failed", "errored", "known", "advice", "skipped", "passed")} == {
        "failed": "1", "errored": "2", "known": "1", "advice": "1", "skipped": "1", "passed": "21",
    }  # fmt: skip
    other = next(row for row in rows if row["implementation"].startswith("other"))
    assert (other["not asked"], other["not declared"]) == ("14", "14")


def test_hostile_text_is_shown_and_runs_nowhere(opened, tmp_path):
    page = opened(site_of(tmp_path / "site", hostile(tmp_path / "r.jsonl"))).at()
    page.locator('td.asked [title^="nothing-lost"]').click()
    page.wait_for_selector("article.case")
    for details in page.locator("#panel details").all():
        details.evaluate("one => { one.open = true; }")
    for view in ("kinds", "changes", "runs"):
        page.evaluate(f"location.hash = 'view={view}'")
        until(page, f"document.querySelector('#tabs [aria-current]').href.endsWith('view={view}')")
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (" \t\r\n\x00", "·→␍↵␀"),
        ("\u200b\ufeff\u00a0\u2028", "U+200BU+FEFFU+00A0U+2028"),
        ("a\ud834b", "aU+D834b"),
        ("e\u0301", "e◌\u0301 U+0301"),
        ("\U0001f600<b>", "\U0001f600<b>"),
    ],
)
def test_white_space_and_odd_signs_are_visible(opened, tmp_path, raw, shown):
    found = violation("nothing-lost", pieces=(Piece("text", raw),), ends=None)
    failed = result("nothing-lost", outcome="fail", standing="failed", violation=found)
    page = opened(site_of(tmp_path / "site", written(tmp_path / "r.jsonl", [failed]))).at("#open=mine-1.0/qwen3")
    page.wait_for_selector("article.case")
    assert page.locator(".case > .output").text_content().replace("\n", "") == shown


def test_a_long_text_is_cut_until_all_of_it_is_asked_for(opened, tmp_path):
    long = "".join(f"{number:05}" for number in range(2000))
    answers = {"oracle": {"reasoning": "", "content": long}, "split": {"reasoning": "", "content": long[:-5] + "other"}}
    found = violation("nothing-lost", pieces=(Piece("text", long),), ends=range(1, 10_001), answers=answers)
    failed = result("nothing-lost", outcome="fail", standing="failed", violation=found)
    page = opened(site_of(tmp_path / "site", written(tmp_path / "r.jsonl", [failed]))).at("#open=mine-1.0/qwen3")
    page.wait_for_selector("article.case")
    assert page.locator(".case > .output .chunk").count() == 120
    assert page.locator(".answer mark").all_inner_texts() == ["other", "01999"]
    page.locator(".case > .output button.all").click()
    assert page.locator(".case > .output .chunk").count() == 10_000
    page.locator(".of-oracle button.all").click()
    assert page.locator(".of-oracle code").last.inner_text() == long


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_sign_can_be_read_against_its_ground(opened, site, scheme):
    """By the contrast that WCAG 2 asks for (AA: 4.5)."""
    page = opened(site, color_scheme=scheme).at(CASE)
    page.wait_for_selector("article.case")
    low = page.evaluate(CONTRAST)
    assert low == []


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((one) => (one /= 255) <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility() || one.matches('.off, :disabled, :disabled *, script, noscript')) continue;
    const [a, b] = [light(rgba(getComputedStyle(one).color)), light(ground(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push(`${one.tagName}.${one.className} ${one.textContent.slice(0, 20)}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""


def test_the_theme_can_be_chosen_and_is_kept(opened, site):
    one = opened(site, color_scheme="light")
    page = one.at()
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    bright = page.evaluate(ground)
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.locator("#theme").inner_text() == "theme: dark"
    assert page.evaluate(ground) != bright
    assert one.at().evaluate(ground) != bright


def test_on_a_phone_nothing_is_wider_than_the_screen(opened, site):
    one = opened(site, viewport={"width": 360, "height": 740})
    for address in ("", "#view=kinds", "#view=changes", "#view=runs", CASE):
        page = one.at(address)
        if address == CASE:
            page.wait_for_selector("article.case")
            assert page.evaluate("document.getElementById('panel').scrollWidth") <= 360
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address


def test_everything_that_can_be_pressed_has_a_name_and_a_focus(opened, site):
    page = opened(site).at(CASE)
    page.wait_for_selector("article.case")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, a, input, summary')]
          .filter((one) => !(one.textContent.trim() || one.ariaLabel || (one.closest('label') || {}).textContent))
          .map((one) => one.outerHTML)"""
    )
    assert nameless == []
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_cases_that_are_not_there_are_told_in_a_sentence(browser, tmp_path):
    folder = site_of(tmp_path / "site", every_state(tmp_path / "r.jsonl"))
    shutil.rmtree(folder / "data")
    one = Opened(browser, folder)
    page = one.at(CASE)
    page.wait_for_selector("[role=alert]")
    assert "can't be loaded" in page.locator("[role=alert]").inner_text()
    one.context.close()


def test_without_script_a_table_stands_there(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.joinpath("index.html").as_uri())
    assert page.locator("noscript table").count() == 2
    assert "1 failed, 2 errored" in page.locator("noscript").inner_text()
    context.close()


def test_a_large_page_draws_only_what_is_seen(opened, tmp_path):
    page = opened(site_of(tmp_path / "site", *large(tmp_path))).at()
    assert page.locator(".board tbody tr").count() == 40
    assert page.locator("td[data-cell]").count() == 600
    drawn = page.locator(".signs").count()
    assert 0 < drawn < 600
    last = page.locator(".board tbody tr").last
    last.scroll_into_view_if_needed()
    last.locator(".sign").first.wait_for()


def test_chunks_of_the_made_case_are_those_of_its_output():
    assert CHUNKS[-1] == sum(len(piece.whole) for piece in QWEN3)
