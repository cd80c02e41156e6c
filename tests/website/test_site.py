"""The built site: nothing broken in its files, and in a browser every page, the ledger's filter, the calculators.

The browser is Debian's chromium with its chromedriver; where they are missing, these tests say so and are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from privrl import horizon as pucb_horizon
from privrl.__main__ import main
from privrl.agents._counted import Counted
from privrl.privacy import mechanisms, noise
from tests.website import points as settings
from tests.website.points import close, digits
from theory import bounds_liao2021, bounds_zhou2022, horizons, ledger
from website import check

MISSING = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
# the one skip of the suite; pytest names what is missing (-ra)
browser_tests = pytest.mark.skipif(bool(MISSING), reason=f"no browser to open the site with: {MISSING} not installed")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-component-update", "--disable-background-networking", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND")  # fmt: skip
WIDTHS = (1280, 360)
PAPER = 718  # of a page of A4 within chromium's margins
FITS = """
const done = arguments[arguments.length - 1];
const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
const wider = (one) => one.getBoundingClientRect().right > innerWidth + 1;
const said = (one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`;
const found = () => done([location.href, document.documentElement.scrollWidth <= innerWidth ? []
  : ["scrolls", ...[...document.body.querySelectorAll("*")].filter(wider).slice(0, 5).map(said)]]);
// formulas are fitted by a script when the width has changed
const later = () => {
  if (document.querySelector(".math")) requestAnimationFrame(() => requestAnimationFrame(found));
  else found();
};
typeset.then(later, (error) => done([location.href, [String(error)]]));
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run([sys.executable, "-m", "website.build", "--out", str(out)], cwd=ledger.ROOT,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return out


@pytest.fixture(scope="module")
def browser(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SE_OFFLINE", "true")
        driver = Chrome(options, ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


def address(site: Path, page: str) -> str:
    path, mark, rest = page.partition("?")
    return f"{(site / path).as_uri()}{mark}{rest}"


def resize(browser: Chrome, width: int, height: int = 800) -> None:
    measures = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", measures)


# ---- files -----------------------------------------------------------------------------------------------------------


def test_every_page_is_whole_and_small(site: Path) -> None:
    """The builder has checked links, anchors, alternative texts and sizes; here the pages that must be there."""
    found = set(site.rglob("*.html"))
    assert max(path.stat().st_size for path in found) < 2_000_000
    ids = {paper: check.read(site / f"claims/{paper}.html").ids for paper in ledger.PAPERS}
    for row in ledger.recorded():
        for name in (row["id"], *row["aliases"]):
            assert name.split("/")[1] in ids[row["id"].split("/")[0]], name
    for path in sorted((ledger.ROOT / "notebooks").glob("[0-9]*.ipynb")):
        assert site / f"notebooks/{path.stem}.html" in found
    assert {"index.html", "ledger.html", "errata.html", "figures.html", "sigma.html", "horizon.html", "cite.html",
            "reading.html", "search.html"} <= {path.name for path in found}  # fmt: skip


# ---- every page in a browser -----------------------------------------------------------------------------------------


GENERATED = ("api/", "source/")  # pages of one template each; at a desk's width the largest of each stands for all
SHEET = 60  # pages that are opened together


@browser_tests
def test_every_page_opens_and_fits_a_desk_and_a_phone(
    site: Path, browser: Chrome, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pages = sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size)
    kinds = {kind: [path for path in pages if path.relative_to(site).as_posix().startswith(kind)] for kind in GENERATED}
    many = [path for found in kinds.values() for path in found[:-1]]
    host = tmp_path_factory.mktemp("host") / "host.html"
    browser.get_log("performance")
    wrong = [*by_itself(browser, sorted(set(pages) - set(many))), *in_frames(browser, many, host)]
    assert wrong == []
    asked = set(requests(browser)) - {host.as_uri()}
    assert {path.as_uri() for path in pages} <= {url.partition("?")[0].partition("#")[0] for url in asked}
    assert (site / "_static" / "mathjax" / "tex-chtml.js").as_uri() in {url.partition("?")[0] for url in asked}
    assert {url for url in asked if not inside(url, site)} == set()


@browser_tests
def test_faults_of_pages_are_seen_in_frames_too(browser: Chrome, tmp_path: Path) -> None:
    faults = {"wide": "<p style='width: 500px'>wide</p>", "script": "<script>lacking()</script>", "good": "<p>good</p>"}
    for name, words in faults.items():
        (tmp_path / f"{name}.html").write_text(f"<!DOCTYPE html><html lang='en'><body>{words}</body></html>")
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
        wrong += fault(browser, path, PAPER)  # in print nothing scrolls, so that what is too wide is seen
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        wrong += [f"{path.name}: {entry['message']}" for entry in browser.get_log("browser")]
    return wrong


def in_frames(browser: Chrome, pages: list[Path], host: Path) -> list[str]:
    """The same of pages that are opened many together, each in a frame of a phone's width, with half of the work."""
    wrong = []
    resize(browser, WIDTHS[1], 30 * SHEET)  # a frame that is out of sight is not drawn
    for start in range(0, len(pages), SHEET):
        sheet = pages[start : start + SHEET]
        frames = "".join(f'<iframe title="{path.name}" src="{path.as_uri()}"></iframe>' for path in sheet)
        style = f"body {{ margin: 0 }} iframe {{ display: block; width: {WIDTHS[1]}px; height: 30px; border: 0 }}"
        host.write_text(f'<!DOCTYPE html><html lang="en"><style>{style}</style><body>{frames}</body></html>')
        browser.get(host.as_uri())
        for number, path in enumerate(sheet):
            browser.switch_to.frame(number)
            wrong += fault(browser, path, WIDTHS[1])
            browser.switch_to.default_content()
        wrong += [entry["message"] for entry in browser.get_log("browser")]
    return wrong


def fault(browser: Chrome, path: Path, width: int) -> list[str]:
    href, wide = browser.execute_async_script(FITS)
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
def test_the_search_finds_words_of_the_ledger(site: Path, browser: Chrome) -> None:
    resize(browser, WIDTHS[0])
    browser.get(address(site, "search.html?q=billboard"))
    found = "#search-results li a[href*='claims/vietri2020.html']"  # results come one by one
    WebDriverWait(browser, 20).until(lambda one: one.find_elements(By.CSS_SELECTOR, found))
    assert browser.get_log("browser") == []


# ---- the ledger ------------------------------------------------------------------------------------------------------


def state(row: dict[str, Any]) -> str:
    return str(row.get("verdict") or row["status"])


def rigors(row: dict[str, Any]) -> set[str]:
    return {record["rigor"] for record in row.get("records", ())}


def shown(browser: Chrome) -> list[str]:
    script = ("return [...document.querySelectorAll('#ledger tbody tr')].filter((row) => row.offsetParent)"
              ".map((row) => row.querySelector('a').getAttribute('href'))")
    return [str(link) for link in browser.execute_script(script)]


@browser_tests
def test_the_ledgers_filter_counts_as_the_ledger_does(site: Path, browser: Chrome) -> None:
    rows = ledger.recorded()
    resize(browser, WIDTHS[0])
    browser.get(address(site, "ledger.html"))
    assert len(shown(browser)) == len(rows)
    fits = {
        "paper": lambda row, value: row["id"].startswith(f"{value}/"), "kind": lambda row, value: row["kind"] == value,
        "verdict": lambda row, value: state(row) == value, "rigor": lambda row, value: value in rigors(row),
    }  # fmt: skip
    script = """
    const field = document.querySelector(`[name=${arguments[0]}]`);
    return [...field.options].map((option) => {
      field.value = option.value;
      field.dispatchEvent(new Event("change", { bubbles: true }));
      const shown = [...document.querySelectorAll("#ledger tbody tr")].filter((row) => row.offsetParent).length;
      return [option.value, shown, document.querySelector("p.count").textContent];
    });"""
    for field, fitting in fits.items():
        for value, number, said in browser.execute_script(script, field):
            wanted = sum(not value or fitting(row, value) for row in rows)
            assert number == wanted, (field, value)
            assert said == (f"{wanted} items." if wanted == len(rows) else f"{wanted} of {len(rows)} items.")
        Select(browser.find_element(By.NAME, field)).select_by_value("")


@browser_tests
def test_the_ledger_by_words_address_and_keyboard(site: Path, browser: Chrome) -> None:
    rows = ledger.recorded()
    browser.get(address(site, "ledger.html?paper=vietri2020&verdict=holds+corrected"))
    wanted = [row for row in rows if row["id"].startswith("vietri2020/") and state(row) == "holds corrected"]
    assert len(shown(browser)) == len(wanted)
    words = browser.find_element(By.NAME, "words")
    words.send_keys("lemma-8 ARM")
    assert shown(browser) == ["claims/vietri2020.html#lemma-8"]
    assert "words=lemma-8+arm" in browser.current_url
    words.send_keys(Keys.TAB, Keys.ENTER)  # the button "Show all" is next
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(browser, 5).until(lambda one: len(shown(one)) == len(rows))
    browser.find_element(By.NAME, "paper").send_keys("z")
    assert {link.split("#")[0] for link in shown(browser)} == {"claims/zhou2022.html"}
    assert browser.get_log("browser") == []


# ---- the calculators -------------------------------------------------------------------------------------------------


ROW = ("agent", "counter", "calibration")


@browser_tests
def test_the_noise_calculator_computes_what_python_does(site: Path, browser: Chrome) -> None:
    browser.get(address(site, "sigma.html"))
    points = settings.sigma()
    answers = browser.execute_script("return arguments[0].map(([paper, made]) => privrl.privacy.noise(paper, made))",
                                     points)  # fmt: skip
    for (paper, given), answer in zip(points, answers, strict=True):
        found = noise.noise(paper, noise.setting(paper, **given)).as_dict()
        assert close(answer["factor"], found["factor"]), (paper, given)
        assert close(answer["real_epsilon"], found["real_epsilon"]), (paper, given)
        assert answer["note"] == found["note"]
        for mine, theirs in zip(answer["scales"], found["scales"], strict=True):
            assert mine["name"] == theirs["name"]
            assert close(mine["printed"], theirs["printed"]), (paper, given)
            assert close(mine["smallest"], theirs["smallest"]), (paper, given)


@browser_tests
def test_the_horizon_calculator_computes_what_python_does(
    site: Path, browser: Chrome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python is asked for some counters at each point; what both print, three digits, is the same."""
    linear = bounds_liao2021.horizons
    browser.get(address(site, "horizon.html"))
    points = settings.horizon()
    cases = browser.execute_script("return arguments[0].map(([paper, made]) => privrl.horizon.cases(paper, made))",
                                   [(point.paper, point.given) for point in points])  # fmt: skip
    script = ("return arguments[0].map(([paper, made, wanted]) => "
              "[...privrl.horizon.rows(paper, made, (_, at) => wanted[at])])")
    wanted = [[point.has(case) for case in made] for point, made in zip(points, cases, strict=True)]
    asked = [(point.paper, point.given, which) for point, which in zip(points, wanted, strict=True)]
    seen = set()
    for point, rows in zip(points, browser.execute_script(script, asked), strict=True):
        counters = ("none", *point.counters)
        monkeypatch.setattr(mechanisms, "PRIVATE", point.counters)
        monkeypatch.setattr(bounds_zhou2022, "COUNTERS", counters)
        monkeypatch.setattr(bounds_liao2021, "horizons", partial(linear, counters=counters))
        monkeypatch.setattr(pucb_horizon, "CALIBRATIONS", point.calibrations)
        monkeypatch.setattr(Counted, "calibrations", point.calibrations[1:])
        found = horizons.horizons(point.paper, horizons.setting(point.paper, **point.given))
        assert [tuple(row[name] for name in ROW) for row in rows] == [
            (row.agent, row.counter, row.calibration) for row in found.rows], point
        for mine, row in zip(rows, found.rows, strict=True):
            seen.add((row.agent, row.counter, point.given["delta"] > 0))
            assert digits(mine["start"]) == digits(row.start), (point, mine, row)
            assert digits(mine["below_trivial"]) == digits(row.below_trivial), (point, mine, row)
            assert close(mine["start"], row.start, 1e-6), (point, mine, row)
            assert close(mine["below_trivial"], row.below_trivial, 1e-6), (point, mine, row)
    agents = {"pucb": 12, "ucbvi": 2, "ldp-ucbvi": 2, "private-ucbvi": 8, "dp-ucbvi": 12, "private-ofu-rl": 6,
              "ucrl-vtr": 1, "ldp-ucrl-vtr": 6, "linopt-vi": 7}  # fmt: skip
    assert {agent: sum(one == agent for one, *_ in seen) for agent in agents} == agents  # each over all its counters


@browser_tests
def test_counters_cost_in_the_browser_what_they_cost_in_python(site: Path, browser: Chrome) -> None:
    browser.get(address(site, "horizon.html"))
    points = settings.costs()
    script = """return arguments[0].map(([name, releases, law]) => {
      const { sensitivity, largest, variances, numbers } = privrl.counters.cost(name, BigInt(releases), law);
      return [sensitivity, largest, (variances ?? []).reduce((sum, one, i) => sum + one * numbers[i], 0)];
    });"""
    for (name, releases, law), mine in zip(points, browser.execute_script(script, points), strict=True):
        made = mechanisms.counter_cost(name, releases, law)
        summed = float(made.variances @ made.numbers) if (name, law) != ("local", "laplace") else 0.0  # of no use there
        assert all(map(close, mine, (made.sensitivity, made.largest, summed))), (name, releases, law, mine)


@browser_tests
@pytest.mark.parametrize("paper", noise.PAPERS)
def test_the_noise_page_prints_what_the_command_prints(site: Path, browser: Chrome, paper: str) -> None:
    printed = words(CliRunner().invoke(main, ["sigma", paper]).output)
    browser.get(address(site, "sigma.html"))
    Select(browser.find_element(By.NAME, "paper")).select_by_visible_text(paper)
    for text in browser.find_element(By.CSS_SELECTOR, ".answer").text.splitlines():
        if not text.startswith(("The same on", "Noise scales")):
            assert words(text) in printed, text
    assert "privrl sigma" in browser.find_element(By.CSS_SELECTOR, ".command").text


@browser_tests
def test_the_horizon_page_prints_what_the_command_prints(site: Path, browser: Chrome) -> None:
    printed = words(CliRunner().invoke(main, ["horizon", "liao2021", "--epsilon", "2"]).output)
    browser.get(address(site, "horizon.html"))
    Select(browser.find_element(By.NAME, "paper")).select_by_visible_text("liao2021")
    field = browser.find_element(By.NAME, "epsilon")
    field.clear()
    field.send_keys("2", Keys.ENTER)
    WebDriverWait(browser, 20).until(lambda one: one.find_elements(By.CSS_SELECTOR, ".answer[data-done]"))
    shown = browser.find_element(By.CSS_SELECTOR, ".answer").text.splitlines()
    assert sum(text.startswith(("ucrl-vtr", "ldp-ucrl-vtr")) for text in shown) == 15
    for text in shown:
        if not text.startswith(("The same on", "Episodes needed")):
            assert words(text) in printed, text
    assert browser.find_element(By.CSS_SELECTOR, ".command code").text == "privrl horizon liao2021 --epsilon 2"


def words(text: str) -> str:
    """Text without a table's lines and with single spaces."""
    return " ".join("".join(" " if sign in "┃│┏┓┡┩└┘━─┴┼├┤╇┳┬┻" else sign for sign in text).split())


@browser_tests
def test_the_calculators_refuse_in_one_sentence(site: Path, browser: Chrome) -> None:
    for page, name, value, said in (
        ("sigma.html", "epsilon", "-1", "epsilon must be > 0 and finite, got epsilon=-1."),
        ("sigma.html", "delta", "x", "delta must be a number, got x."),
        ("horizon.html", "horizon", "1", "horizon must be >= 2, got horizon=1."),
    ):
        browser.get(address(site, page))
        field = browser.find_element(By.NAME, name)
        field.clear()
        field.send_keys(value, Keys.ENTER)
        assert browser.find_element(By.CSS_SELECTOR, ".answer .refusal").text == said
    assert browser.get_log("browser") == []
