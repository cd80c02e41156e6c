"""The built site: nothing broken in its files, and in a browser every page, the filters, the
search.

The browser is Debian's chromium with its chromedriver; where they are missing, these tests say so
and are skipped.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from theory import ledger
from website import check, markup, places

pytestmark = pytest.mark.slow

MISSING = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
# both commands of the README must pass on a machine without a browser
browser_tests = pytest.mark.skipif(
    bool(MISSING),
    reason=f"no browser to open the site with, and without one the rest must pass: {MISSING} "
    f"missing",
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
LONG = 300  # seconds that a busy machine may take for what is done in one
WIDTHS = (1280, 360)
PAPER = 718  # of a page of A4 within chromium's margins
FITS = """
const done = arguments[arguments.length - 1];
const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
const wider = (one) => one.getBoundingClientRect().right > innerWidth + 1;
// on a desk and on paper no cell is cut: what is wider than its box would have to be scrolled
const boxes = innerWidth > 1000 || matchMedia("print").matches
  ? ".table-wrapper, .wide, .cell_output pre, .cell_input pre" : "nothing";
const cut = () => [...document.querySelectorAll(boxes)]
  .filter((box) => box.scrollWidth > box.clientWidth + 1);
const said = (one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`;
// what a reader sees outside of code: no raw Markdown, no formula that is not typeset
const raw = new RegExp(arguments[0]);
const code = "code, pre, script, style, textarea, .sig, mjx-assistive-mml";
function* texts() {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    if (!node.parentElement.closest(code)) yield node.data;
}
const found = () => done([location.href, [
  ...[...texts()].filter((words) => raw.test(words)).slice(0, 5)
    .map((words) => `raw: ${words.slice(0, 80)}`),
  ...[...document.querySelectorAll("mjx-merror, mjx-assistive-mml")].map((one) => one.textContent)
    .filter((words) => words.includes("\\\\")).map((words) => `formula: ${words}`),
  ...(document.documentElement.scrollWidth <= innerWidth ? []
    : ["scrolls", ...[...document.body.querySelectorAll("*")].filter(wider).slice(0, 5).map(said)]),
  ...cut().map((one) => `cut ${said(one)}`)]]);
// formulas are fitted by a script when the width has changed
const later = () => {
  if (document.querySelector(".math")) requestAnimationFrame(() => requestAnimationFrame(found));
  else found();
};
typeset.then(later, (error) => done([location.href, [String(error)]]));
"""


PARTED = """
const done = arguments[arguments.length - 1];
const beside = (node, at) => {
  if (!node || node.nodeType !== 3 || /\\s/.test(node.data.at(at))) return null;
  const range = document.createRange(), start = at < 0 ? node.length - 1 : 0;
  range.setStart(node, start);
  range.setEnd(node, start + 1);
  return range.getBoundingClientRect();
};
const parted = (formula) => {
  const box = formula.getBoundingClientRect();
  const [before, after] = [beside(formula.previousSibling, -1), beside(formula.nextSibling, 0)];
  return (before && before.bottom <= box.top) || (after && after.top >= box.bottom);
};
setTimeout(() => done([...document.querySelectorAll(".math")].filter(parted).length), 100);
"""
EVERY = 8  # of the pages of modules and of sources; `make site` makes and checks all


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site but for most pages of modules and of sources, of which every eighth is built."""
    return built(tmp_path_factory.mktemp("site") / "site", EVERY)


@pytest.fixture(scope="module")
def whole_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("whole") / "site", 1)


def built(out: Path, every: int) -> Path:
    done = subprocess.run(
        [sys.executable, "-m", "website.build", "--out", str(out), "--every", str(every)],
        cwd=ledger.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return out


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option(
        "perfLoggingPrefs", {"enableNetwork": True, "enablePage": False}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SE_OFFLINE", "true")
        driver = Chrome(options, ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(LONG)
    driver.set_page_load_timeout(LONG)
    yield driver
    driver.quit()


def address(site: Path, page: str) -> str:
    path, mark, rest = page.partition("?")
    return f"{(site / path).as_uri()}{mark}{rest}"


def resize(browser: Chrome, width: int, height: int = 800) -> None:
    measures = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", measures)


def test_every_page_is_whole_and_small(site: Path) -> None:
    """The builder has checked links, anchors, alternative texts and sizes; here the pages that must
    be there."""
    pages = set(site.rglob("*.html"))
    ids = {paper: check.read(site / f"claims/{paper}.html").ids for paper in ledger.PAPERS}
    for row in ledger.recorded():
        for name in (row["id"], *row["aliases"]):
            assert name.split("/")[1] in ids[row["id"].split("/")[0]], name
        assert site / f"claims/{row['id']}.html" in pages
    for figure in places.figures():
        assert site / f"figures/{figure.id}.html" in pages
    for path in sorted((ledger.ROOT / "notebooks").glob("[0-9]*.ipynb")):
        assert site / f"notebooks/{path.stem}.html" in pages
    assert {
        "index.html",
        "ledger.html",
        "errata.html",
        "figures.html",
        "sigma.html",
        "horizon.html",
        "cite.html",
        "reading.html",
        "search.html",
    } <= {path.name for path in pages}


# pages of one template each; at a desk's width the largest of each stands for all
GENERATED = (
    "api/",
    "source/",
    "figures/",
    "derivations/",
    *(f"claims/{paper}/" for paper in ledger.PAPERS),
)
SHEET = 60  # pages that are opened together


@browser_tests
def test_every_kind_of_page_opens_and_fits_a_desk_and_a_phone(
    site: Path, browser: Chrome, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every page that somebody wrote; of those that one template makes, every eighth by size,
    since their sizes are all that tells them apart, and the largest."""
    opens(site, browser, tmp_path_factory.mktemp("host") / "host.html", 8)


@pytest.mark.long
@browser_tests
def test_every_page_opens_and_fits_a_desk_and_a_phone(
    whole_site: Path, browser: Chrome, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Some 800 pages, of which `make test` opens every one that is written and a sample of those
    that are generated."""
    opens(whole_site, browser, tmp_path_factory.mktemp("host") / "host.html", 1)


def opens(site: Path, browser: Chrome, host: Path, share: int) -> None:
    """Open every page that somebody wrote, and of generated ones every so many-th by size."""
    every = sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size)
    kinds = {
        kind: [path for path in every if path.relative_to(site).as_posix().startswith(kind)]
        for kind in GENERATED
    }
    made = {path for kind_pages in kinds.values() for path in kind_pages}
    sampled = [path for kind_pages in kinds.values() for path in kind_pages[::-share]]
    pages = [path for path in every if path not in made] + sampled
    largest = {kind_pages[-1] for kind_pages in kinds.values()}
    many = [path for path in sampled if path not in largest]
    browser.get_log("performance")
    wrong = [*by_itself(browser, sorted(set(pages) - set(many))), *in_frames(browser, many, host)]
    assert wrong == []
    requested = set(requests(browser)) - {host.as_uri()}
    assert {path.as_uri() for path in pages} <= {
        url.partition("?")[0].partition("#")[0] for url in requested
    }
    assert (site / "_static" / "mathjax" / "tex-chtml.js").as_uri() in {
        url.partition("?")[0] for url in requested
    }
    assert {url for url in requested if not inside(url, site)} == set()


@browser_tests
def test_cut_cells_are_seen_on_a_desk(browser: Chrome, tmp_path: Path) -> None:
    page = tmp_path / "cut.html"
    wide = (
        "<div class='wide' style='overflow-x: auto'>"
        "<table style='width: 2000px'><td>cell</table></div>"
    )
    page.write_text(f"<!DOCTYPE html><html lang='en'><body>{wide}</body></html>")
    resize(browser, WIDTHS[0])
    browser.get(page.as_uri())
    (message,) = fault(browser, page, WIDTHS[0])
    assert "cut DIV.wide: cell" in message


@browser_tests
@pytest.mark.parametrize("broken", [False, True])
def test_no_number_and_no_name_of_a_table_is_broken_on_a_desk(
    browser: Chrome, tmp_path: Path, broken: bool
) -> None:
    """The mutant has the rules that broke them."""
    style = (ledger.ROOT / "website" / "static" / "site.css").read_text(encoding="utf-8")
    style += "article .table-wrapper td :is(p, code) { overflow-wrap: anywhere }" if broken else ""
    words = "<td><p>so many words of a cell that is as long as a sentence</p>" * 6
    row = (
        "<tr><td><p><span class='one'>10,000,000</span></p>"
        f"<td><p><code class='one'>shuffle</code></p>{words}"
    )
    page = tmp_path / "table.html"
    page.write_text(
        f"<!DOCTYPE html><html lang='en'><style>{style}</style><article style='width: 30rem'>"
        f"<div class='table-wrapper'><table>{row * 3}</table></div></article>"
    )
    resize(browser, WIDTHS[0])
    browser.get(page.as_uri())
    script = (
        "return [...document.querySelectorAll('.one')].map((one) => one.getClientRects().length)"
    )
    assert [lines > 1 for lines in browser.execute_script(script)] == [broken] * 6


@browser_tests
@pytest.mark.parametrize(("signs", "outcome"), [(4, ""), (40, "smaller"), (80, "scrolls")])
def test_a_formula_wider_than_its_paragraph_is_smaller_or_scrolls(
    browser: Chrome, tmp_path: Path, signs: int, outcome: str
) -> None:
    page, script = (
        tmp_path / "formula.html",
        (ledger.ROOT / "website" / "static" / "site.js").as_uri(),
    )
    formula = f"<li><p><span class='math' style='white-space: nowrap'>{'x' * signs}</span>"
    page.write_text(
        f"<article style='width: 20rem'><ul>{formula}</ul></article><script "
        f"src='{script}'></script>"
    )
    resize(browser, WIDTHS[0])
    browser.get(page.as_uri())
    classes, size, spills = browser.execute_async_script(
        "setTimeout((done) => { const formula = document.querySelector('.math');"
        "done([formula.className, formula.style.fontSize, formula.getBoundingClientRect().right"
        " > formula.closest('p').getBoundingClientRect().right]) }, 100, arguments[0])"
    )
    assert ("too-wide" in classes) == (outcome == "scrolls")
    assert bool(size) == (outcome == "smaller")
    assert spills == (outcome == "scrolls")  # what the page's style lets scroll


@browser_tests
@pytest.mark.parametrize("scripted", [True, False])
@pytest.mark.parametrize("words", ["a word FORMULA, and", "a word FORMULA.", "word (FORMULA) and"])
def test_no_line_begins_or_ends_with_the_sign_beside_a_formula(
    browser: Chrome, tmp_path: Path, words: str, scripted: bool
) -> None:
    """Without the script a browser parts them somewhere, as a formula is a box to it."""
    static = (ledger.ROOT / "website" / "static").as_uri()
    formula = "<span class='math'><span style='display: inline-block'>xxxxxx</span></span>"
    boxes = "".join(
        f"<p style='width: {width}px'>{words.replace('FORMULA', formula)}</p>"
        for width in range(50, 150, 2)
    )
    script = f"<script src='{static}/site.js'></script>" if scripted else ""
    page = tmp_path / "signs.html"
    page.write_text(
        f"<!DOCTYPE html><html lang='en'><link rel='stylesheet' href='{static}/site.css'>"
        f"<article>{boxes}</article>{script}"
    )
    resize(browser, WIDTHS[0])
    browser.get(page.as_uri())
    parted = browser.execute_async_script(PARTED)
    assert bool(parted) != scripted


@browser_tests
@pytest.mark.parametrize(
    "words", ["law | noise | users", "so **bold** word", "a `word`", "T^2", "sqrt(2)", "\\lVert"]
)
@pytest.mark.parametrize("framed", [False, True])
def test_raw_words_are_seen_on_every_page(
    browser: Chrome, tmp_path: Path, words: str, framed: bool
) -> None:
    page = tmp_path / "raw.html"
    page.write_text(
        f"<!DOCTYPE html><html lang='en'><body><pre>{words}</pre><p><span "
        f"class='math'>{words}</span></p>"
    )
    message, *_ = (
        in_frames(browser, [page], tmp_path / "host.html") if framed else by_itself(browser, [page])
    )
    assert "raw: " in message


@browser_tests
def test_faults_of_pages_are_seen_in_frames_too(browser: Chrome, tmp_path: Path) -> None:
    faults = {
        "wide": "<p style='width: 500px'>wide</p>",
        "script": "<script>lacking()</script>",
        "good": "<p>good</p>",
    }
    for name, words in faults.items():
        (tmp_path / f"{name}.html").write_text(
            f"<!DOCTYPE html><html lang='en'><body>{words}</body></html>"
        )
    pages = [tmp_path / f"{name}.html" for name in (*faults, "missing")]
    wide, missing, *logged = in_frames(browser, pages, tmp_path / "host.html")
    assert wide.startswith("wide.html at 360")
    assert missing.startswith("missing.html")
    assert any("lacking is not defined" in entry for entry in logged)
    assert by_itself(browser, pages[2:3]) == []


def by_itself(browser: Chrome, pages: list[Path]) -> list[str]:
    """What is wrong with pages that are opened one after another, at both widths and in print."""
    wrong = []
    for number, path in enumerate(pages):
        for turn, width in enumerate(WIDTHS if number % 2 == 0 else WIDTHS[::-1]):
            resize(browser, width)
            if turn == 0:
                browser.get(path.as_uri())
            wrong += fault(browser, path, width)
        resize(browser, PAPER)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        # in print nothing scrolls, so that what is too wide is seen
        wrong += fault(browser, path, PAPER)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        wrong += [f"{path.name}: {entry['message']}" for entry in browser.get_log("browser")]
    return wrong


def in_frames(browser: Chrome, pages: list[Path], host: Path) -> list[str]:
    """The same of pages that are opened many together, each in a frame of a phone's width, with
    half of the work."""
    wrong = []
    resize(browser, WIDTHS[1], 30 * SHEET)  # a frame that is out of sight is not drawn
    for start in range(0, len(pages), SHEET):
        sheet = pages[start : start + SHEET]
        frames = "".join(
            f'<iframe title="{path.name}" src="{path.as_uri()}"></iframe>' for path in sheet
        )
        style = (
            "body { margin: 0 } iframe { display: block; "
            f"width: {WIDTHS[1]}px; height: 30px; border: 0 }}"
        )
        host.write_text(
            f'<!DOCTYPE html><html lang="en"><style>{style}</style><body>{frames}</body></html>'
        )
        browser.get(host.as_uri())
        for number, path in enumerate(sheet):
            browser.switch_to.frame(number)
            wrong += fault(browser, path, WIDTHS[1])
            browser.switch_to.default_content()
        wrong += [entry["message"] for entry in browser.get_log("browser")]
    return wrong


def fault(browser: Chrome, path: Path, width: int) -> list[str]:
    href, wide = browser.execute_async_script(FITS, check.MARKDOWN.pattern)
    if href != path.as_uri():
        return [f"{path.name}: not opened"]
    return [f"{path.name} at {width}: {wide}"] if wide else []


def requests(browser: Chrome) -> Iterator[str]:
    """What pages from files have asked for; the browser's own start page is none."""
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        sent = message["params"] if message["method"] == "Network.requestWillBeSent" else {}
        if sent.get("documentURL", "").startswith("file"):
            yield sent["request"]["url"]


def inside(url: str, site: Path) -> bool:
    parts = urllib.parse.urlsplit(url)
    local = Path(os.path.normpath(urllib.parse.unquote(parts.path))).is_relative_to(site)
    return parts.scheme in ("data", "blob") or (parts.scheme == "file" and local)


@browser_tests
@pytest.mark.parametrize(
    ("query", "claim"),
    [("lemma 18", "vietri2020/lemma-18.html"), ("Theorem 6.4", "zhou2022/theorem-6.4.html")],
)
def test_the_search_finds_a_claim_first(
    site: Path, browser: Chrome, query: str, claim: str
) -> None:
    browser.get(address(site, f"search.html?q={query.replace(' ', '+')}"))
    first = WebDriverWait(browser, LONG).until(
        lambda driver: driver.find_elements(By.CSS_SELECTOR, "#search-results li a")
    )
    assert str(first[0].get_attribute("href")).endswith(claim)
    assert browser.get_log("browser") == []


@browser_tests
def test_the_search_puts_prose_before_the_names_of_the_code(site: Path, browser: Chrome) -> None:
    browser.get(address(site, "search.html?q=noise"))
    WebDriverWait(browser, LONG).until(
        lambda one: "finished" in one.find_element(By.ID, "search-results").text
    )
    script = (
        "return [...document.querySelectorAll('#search-results li > a')]"
        ".map((link) => link.getAttribute('href').split(/[?#]/)[0])"
    )
    pages = browser.execute_script(script)
    code = [page.startswith("api/") for page in pages]
    assert pages.index("sigma.html") < 3
    assert any(code)  # the order is one of both kinds
    assert code == sorted(code)


HIGHEST = 15_000  # pixels of a page at any width
# a notebook is run from top to bottom, and a module is listed whole: neither can be parted
WHOLE = ("notebooks/", "source/")


@browser_tests
def test_no_page_is_too_high(site: Path, browser: Chrome) -> None:
    """On a phone, where every page that is measured is higher than at a desk."""
    assert too_high(browser, largest(site, 3), 400) == []


@pytest.mark.long
@browser_tests
@pytest.mark.parametrize("width", [400, 1400])
def test_no_page_of_all_is_too_high(whole_site: Path, browser: Chrome, width: int) -> None:
    assert too_high(browser, largest(whole_site, 12), width) == []


def largest(site: Path, number: int) -> list[Path]:
    """A page's height follows its words: the largest files of each folder stand for the others."""
    pages = [
        path
        for path in sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size)
        if not path.relative_to(site).as_posix().startswith(WHOLE)
    ]
    folders = {path.parent for path in pages}
    assert len(folders) >= 4 + len(ledger.PAPERS)  # pages, claims, a paper's claims, figures, api
    return [
        path
        for folder in folders
        for path in [page for page in pages if page.parent == folder][-number:]
    ]


def too_high(browser: Chrome, pages: list[Path], width: int) -> list[str]:
    """The pages that are higher than one may be, once their formulas are typeset."""
    resize(browser, width)
    script = """
    const done = arguments[arguments.length - 1];
    const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
    typeset.then(() => requestAnimationFrame(() => done(document.documentElement.scrollHeight)));"""
    wrong = []
    for page in pages:
        browser.get(page.as_uri())
        height = browser.execute_async_script(script)
        wrong += [f"{page.name}: {height} pixels"] if height > HIGHEST else []
    return wrong


@browser_tests
def test_a_page_that_is_too_high_is_seen(browser: Chrome, tmp_path: Path) -> None:
    page = tmp_path / "high.html"
    for height, wrong in ((HIGHEST - 200, []), (HIGHEST + 1, ["high.html"])):
        page.write_text(f"<!DOCTYPE html><html lang='en'><p style='height: {height}px'>high")
        assert [words.split(":")[0] for words in too_high(browser, [page], 400)] == wrong


# words, by a pattern, that stand in more than one line of what a selector finds and none leaves out
BROKEN = """
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), broken = [];
for (let node = walk.nextNode(); node; node = walk.nextNode()) {
  const holder = node.parentElement;
  if (!holder.closest(arguments[0]) || holder.closest(arguments[2])) continue;
  for (const match of node.data.matchAll(new RegExp(arguments[1], "gi"))) {
    const range = document.createRange();
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].length);
    const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
    if (lines.size > 1) broken.push(match[0]);
  }
}
return broken;"""
IN_TABLES = ("td, th", "[a-z]{4,}", "code, mjx-container")
IN_COMMANDS = ("pre.plain, p code, li code", """[^\\s"'(),]+""", "mjx-container")


@browser_tests
@pytest.mark.parametrize(
    "page",
    [
        "index.html",
        "ledger.html",
        "found.html",
        "tuned.html",
        "claims/vietri2020.html",
        "horizon.html",
        "notebooks/00_ledger.html",
        "notebooks/03_liao2021_ldp.html",
    ],
)
def test_no_word_of_a_table_breaks_on_a_phone(site: Path, browser: Chrome, page: str) -> None:
    resize(browser, 400)
    browser.get(address(site, page))
    assert browser.execute_script(BROKEN, *IN_TABLES) == []


@browser_tests
def test_a_broken_word_is_seen(browser: Chrome, tmp_path: Path) -> None:
    page = tmp_path / "broken.html"
    cell = "<td style='width: 2em; overflow-wrap: anywhere'>corrected"
    page.write_text(
        f"<!DOCTYPE html><html lang='en'><table style='table-layout: fixed; width: 2em'>{cell}"
    )
    resize(browser, 400)
    browser.get(page.as_uri())
    assert browser.execute_script(BROKEN, *IN_TABLES) == ["corrected"]


# how far the widest table of a page can be scrolled, and how far names of rows move in any
MOVED = """
const done = arguments[arguments.length - 1];
document.head.appendChild(document.createElement("style")).append(arguments[0]);
const room = (box) => box.scrollWidth - box.clientWidth;
function moved(box) {
  const rows = [...box.querySelectorAll("tr")].map((row) => row.cells);
  const most = Math.max(...rows.map((cells) => cells.length));
  const names = rows.filter((cells) => cells.length === most).map((cells) => cells[0]);
  const before = names.map((name) => name.getBoundingClientRect().left);
  box.scrollLeft = room(box);
  return Math.max(...names.map((name, at) => name.getBoundingClientRect().left - before[at])
    .map(Math.abs));
}
const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
typeset.then(() => setTimeout(() => {
  const boxes = [...document.querySelectorAll(".table-wrapper, .wide, table.dataframe")]
    .filter((box) => room(box) > 20);
  done([Math.max(...boxes.map(room)), Math.max(...boxes.map(moved))]);
}, 500));"""


@browser_tests
@pytest.mark.parametrize("rule", ["", "article :is(th, td):first-child { position: static }"])
@pytest.mark.parametrize(
    "page", ["advice.html", "notebooks/00_ledger.html", "notebooks/03_liao2021_ldp.html"]
)
def test_what_a_row_is_about_stays_when_a_wide_table_is_scrolled_on_a_phone(
    site: Path, browser: Chrome, page: str, rule: str
) -> None:
    resize(browser, 400)
    browser.get(address(site, page))
    room, moved = browser.execute_async_script(MOVED, rule.replace(" }", " !important }"))
    assert room > 100 and (moved > 100 if rule else moved < 1)


@browser_tests
@pytest.mark.parametrize("rule", ["", "article .whole { white-space: inherit }"])
def test_no_command_of_the_first_page_breaks_on_a_phone(
    site: Path, browser: Chrome, rule: str
) -> None:
    """The mutant lacks the rule that keeps flags and paths whole."""
    resize(browser, 400)
    browser.get(address(site, "index.html"))
    script = "document.head.appendChild(document.createElement('style')).append(arguments[0])"
    browser.execute_script(script, rule)
    broken = browser.execute_script(BROKEN, *IN_COMMANDS)
    assert bool(broken) == bool(rule)


@browser_tests
@pytest.mark.parametrize(("scheme", "turned"), [("dark", True), ("light", False)])
@pytest.mark.parametrize("page", ["figures.html", "figures/vietri2020_privacy.html"])
def test_no_plate_is_white_in_the_dark(
    site: Path, browser: Chrome, page: str, scheme: str, turned: bool
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(address(site, page))
    script = (
        "return [...document.querySelectorAll('article img')]"
        ".map((image) => getComputedStyle(image).filter)"
    )
    filters = set(browser.execute_script(script))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert {"invert" in words for words in filters} == {turned}


@browser_tests
@pytest.mark.parametrize(
    ("asked", "claims"),
    [
        ("chi-square", {"chowdhury2021/lemma-13", "zhou2022/lemma-B.5"}),
        ("Upper tail", {"chowdhury2021/lemma-13", "zhou2022/lemma-B.5"}),
        ("optimality gap", {"vietri2020/lemma-18", "vietri2020/equation-5"}),
        ("symmetric Gaussian", {"chowdhury2021/lemma-12", "zhou2022/lemma-B.4"}),
        ("\\mathrm{polylog}", {"vietri2020/theorem-3"}),
    ],
)
def test_the_ledgers_filter_finds_words_of_statements(
    site: Path, browser: Chrome, asked: str, claims: set[str]
) -> None:
    resize(browser, WIDTHS[0])
    browser.get(address(site, f"ledger.html?words={urllib.parse.quote(asked)}"))
    listed = {link.removeprefix("claims/").removesuffix(".html") for link in shown(browser)}
    assert claims <= listed
    assert len(listed) < len(ledger.recorded()) / 3


def shown(browser: Chrome) -> list[str]:
    script = (
        "return [...document.querySelectorAll('table.filtered tbody tr')].filter((row) => "
        "row.offsetParent).map((row) => row.querySelector('a').getAttribute('href'))"
    )
    return [str(link) for link in browser.execute_script(script)]


@browser_tests
def test_the_ledgers_filter_counts_as_the_ledger_does(site: Path, browser: Chrome) -> None:
    rows = ledger.recorded()
    resize(browser, WIDTHS[0])
    browser.get(address(site, "ledger.html"))
    assert len(shown(browser)) == len(rows)
    fits = {
        "paper": lambda row, value: row["id"].startswith(f"{value}/"),
        "kind": lambda row, value: row["kind"] == value,
        "verdict": lambda row, value: ledger.state(row) == value,
        "rigor": lambda row, value: value in markup.rigors(row),
    }
    script = """
    const field = document.querySelector(`[name=${arguments[0]}]`);
    return [...field.options].map((option) => {
      field.value = option.value;
      field.dispatchEvent(new Event("change", { bubbles: true }));
      const rows = [...document.querySelectorAll("table.filtered tbody tr")];
      const shown = rows.filter((row) => row.offsetParent).length;
      return [option.value, shown, document.querySelector("p.count").textContent];
    });"""
    for field, fitting in fits.items():
        for value, number, summary in browser.execute_script(script, field):
            expected = sum(not value or fitting(row, value) for row in rows)
            assert number == expected, (field, value)
            assert summary == (
                f"{expected} rows." if expected == len(rows) else f"{expected} of {len(rows)} rows."
            )
        Select(browser.find_element(By.NAME, field)).select_by_value("")


@browser_tests
def test_the_ledger_by_words_address_and_keyboard(site: Path, browser: Chrome) -> None:
    rows = ledger.recorded()
    verdict = next(ledger.state(row) for row in rows if row["id"] == "vietri2020/lemma-18")
    browser.get(address(site, f"ledger.html?paper=vietri2020&verdict={verdict.replace(' ', '+')}"))
    expected_rows = [
        row for row in rows if row["id"].startswith("vietri2020/") and ledger.state(row) == verdict
    ]
    assert len(shown(browser)) == len(expected_rows)
    words = browser.find_element(By.NAME, "words")
    words.send_keys("Lemma 18")  # which other claims speak of too
    assert shown(browser) == ["claims/vietri2020/lemma-18.html"]
    words.clear()
    words.send_keys("lemma-18 GAP")
    assert shown(browser) == ["claims/vietri2020/lemma-18.html"]
    assert "words=lemma-18+gap" in browser.current_url
    words.send_keys(Keys.TAB, Keys.ENTER)  # the button "Show all" is next
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(browser, LONG).until(lambda driver: len(shown(driver)) == len(rows))
    browser.find_element(By.NAME, "paper").send_keys("z")
    assert {link.rpartition("/")[0] for link in shown(browser)} == {"claims/zhou2022"}
    assert browser.get_log("browser") == []


@browser_tests
@pytest.mark.parametrize(
    ("page", "field", "value"),
    [("sigma.html", "epsilon", "0.5"), ("horizon.html", "agent", "ldp-ucrl-vtr")],
)
def test_a_tables_filter_shows_what_fits(
    site: Path, browser: Chrome, page: str, field: str, value: str
) -> None:
    browser.get(address(site, f"{page}?{field}={value}"))
    script = """
    const rows = [...document.querySelectorAll("table.filtered tbody tr")];
    const shown = rows.filter((row) => row.offsetParent);
    return [rows.length, shown.map((row) => row.dataset[arguments[0]])];"""
    number, remaining = browser.execute_script(script, field)
    assert 0 < len(remaining) < number
    assert set(remaining) == {value}
    assert browser.get_log("browser") == []


@browser_tests
def test_the_users_page_answers_without_a_mouse(site: Path, browser: Chrome) -> None:
    browser.get(address(site, "horizon.html"))

    def said(name: str) -> str:
        return browser.find_element(By.CSS_SELECTOR, f'[data-answer="{name}"]').text

    before = said("start")
    assert before.endswith(" users") and said("command").startswith("privrl horizon vietri2020")
    counter = browser.find_element(By.ID, "users-counter")
    counter.send_keys("tree")
    assert Select(counter).first_selected_option.text == "tree"
    assert said("start") != before and said("start").endswith(" users")
    # what the first choice leaves: another algorithm, another paper's sizes
    browser.find_element(By.ID, "users-agent").send_keys("linopt-vi")
    sizes = Select(browser.find_element(By.ID, "users-sizes"))
    assert {option.text.partition(":")[0] for option in sizes.options} == {"zhou2022"}
    assert said("command").startswith("privrl horizon zhou2022")
    assert browser.get_log("browser") == []
