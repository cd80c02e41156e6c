"""The built site: nothing broken in its files, and in a browser every page, the ledger's filter, the calculators.

The browser is Debian's chromium with its chromedriver; where they are missing, these tests say so and are skipped.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from privrl import horizon as pucb_horizon
from privrl.__main__ import main
from privrl.privacy import mechanisms, noise
from theory import bounds_liao2021, bounds_zhou2022, horizons, ledger
from website import check

MISSING = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
# the one skip of the suite: without a browser there is nothing to open; pytest names what is missing (-ra)
browser_tests = pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {', '.join(MISSING)}")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-component-update", "--disable-background-networking", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND")  # fmt: skip
WIDTHS = (1280, 360)
READY = """
const done = arguments[arguments.length - 1];
const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
typeset.then(() => done(""), (error) => done(String(error)));
"""
WIDER = """
const done = arguments[arguments.length - 1];
const wider = (one) => one.getBoundingClientRect().right > innerWidth + 1;
const said = (one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`;
const found = () => done(document.documentElement.scrollWidth <= innerWidth ? []
  : ["scrolls", ...[...document.body.querySelectorAll("*")].filter(wider).slice(0, 5).map(said)]);
// formulas are fitted by a script when the width has changed
if (document.querySelector(".math")) requestAnimationFrame(() => requestAnimationFrame(found));
else found();
"""
POINTS = 140  # of sigma; the others are of horizon


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
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SE_OFFLINE", "true")
        driver = Chrome(options, ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


def address(site: Path, page: str) -> str:
    path, mark, rest = page.partition("?")
    return f"{(site / path).as_uri()}{mark}{rest}"


def resize(browser: Chrome, width: int) -> None:
    measures = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
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


@browser_tests
def test_every_page_opens_and_fits_a_desk_and_a_phone(site: Path, browser: Chrome) -> None:
    wrong = []
    browser.get_log("performance")
    resize(browser, WIDTHS[0])
    for number, path in enumerate(sorted(site.rglob("*.html"))):
        name = path.relative_to(site).as_posix()
        browser.get(path.as_uri())  # at the width of the page before, every other one on a phone
        if failed := browser.execute_async_script(READY):
            wrong.append(f"{name}: {failed}")
        for turn, width in enumerate(WIDTHS if number % 2 == 0 else WIDTHS[::-1]):
            if turn:
                resize(browser, width)
            if wide := browser.execute_async_script(WIDER):
                wrong.append(f"{name} at {width}: {wide}")
        wrong += [f"{name}: {entry['message']}" for entry in browser.get_log("browser")]
    assert wrong == []
    asked = set(requests(browser))
    assert (site / "_static" / "mathjax" / "tex-chtml.js").as_uri() in {url.partition("?")[0] for url in asked}
    assert {url for url in asked if not inside(url, site)} == set()


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
    WebDriverWait(browser, 20).until(lambda one: one.find_elements(By.CSS_SELECTOR, "#search-results li a"))
    links = [one.get_attribute("href") for one in browser.find_elements(By.CSS_SELECTOR, "#search-results li a")]
    assert any("claims/vietri2020.html" in str(link) for link in links)
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
    for field, fitting in fits.items():
        select = Select(browser.find_element(By.NAME, field))
        options = [str(option.get_attribute("value")) for option in select.options]
        for value in options:
            select.select_by_value(value)
            wanted = sum(not value or fitting(row, value) for row in rows)
            assert len(shown(browser)) == wanted
            said = browser.find_element(By.CSS_SELECTOR, "p.count").text
            assert said == (f"{wanted} items." if wanted == len(rows) else f"{wanted} of {len(rows)} items.")
        select.select_by_value("")


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


def close(one: float | None, other: float | None, within: float = 1e-10) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(float(one), float(other), rel_tol=within, abs_tol=1e-300)


def sigma_points() -> list[tuple[str, dict[str, Any]]]:
    rng = np.random.default_rng(20201121)
    points = []
    for number in range(POINTS):
        paper = noise.PAPERS[number % 4]
        given = {
            "epsilon": float(f"{10 ** rng.uniform(-2, 1.3):.4g}"), "horizon": int(rng.integers(2, 40)),
            "episodes": int(10 ** rng.uniform(0.31, 12)), "states": int(rng.integers(1, 20)),
            "actions": int(rng.integers(1, 10)), "dimension": int(rng.integers(1, 30)),
            "gamma": float(f"{rng.uniform(0.01, 3):.4g}"), "adjacency": str(rng.choice(["replace", "add-remove"])),
            "delta": 0.0 if paper == "vietri2020" else float(f"{10 ** rng.uniform(-30, -0.05):.4g}"),
        }  # fmt: skip
        points.append((paper, given))
    return points


@browser_tests
def test_the_noise_calculator_computes_what_python_does(site: Path, browser: Chrome) -> None:
    browser.get(address(site, "sigma.html"))
    points = sigma_points()
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


def horizon_points() -> list[tuple[str, dict[str, Any], tuple[str, ...]]]:
    rng = np.random.default_rng(20201122)
    every = ("printed", "corrected", "tight")
    points: list[tuple[str, dict[str, Any], tuple[str, ...]]] = []
    for number in range(200 - POINTS):
        paper = ("chowdhury2021", "liao2021", "zhou2022", "vietri2020")[number % 4 if number < 16 else number % 3]
        given: dict[str, Any] = {
            "epsilon": float(f"{10 ** rng.uniform(-1, 1.3):.4g}"), "beta": float(f"{rng.uniform(0.01, 0.5):.4g}"),
            "delta": float(f"{10 ** rng.uniform(-12, -1):.4g}"), "horizon": int(rng.integers(2, 12)),
        }  # fmt: skip
        if paper in ("liao2021", "zhou2022"):
            given["dim"] = int(rng.integers(1, 12))
        else:
            given |= {"states": int(rng.integers(1, 6)), "actions": int(rng.integers(1, 5))}
        if paper == "chowdhury2021":
            given["gamma"] = float(f"{rng.uniform(0.05, 2):.4g}")
        if paper == "vietri2020":
            given["delta"] = given["delta"] if number % 8 < 4 else 0.0
        points.append((paper, given, every if paper != "vietri2020" else every[:2]))
    # certified quantiles are dear, for Python and in the browser: two runs of few episodes
    small = {"epsilon": 300.0, "states": 1, "actions": 2, "horizon": 1, "beta": 0.3}
    points[-2:] = [("vietri2020", {**small, "delta": delta}, every) for delta in (0.0, 0.1)]
    return points


@browser_tests
def test_the_horizon_calculator_computes_what_python_does(
    site: Path, browser: Chrome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the papers' own counters; Python's rows for the others are not asked for.

    Whole numbers of episodes agree to the last; those that rest on certified quantiles are rounded by a thousandth.
    """
    monkeypatch.setattr(mechanisms, "PRIVATE", ("local", "tree"))
    monkeypatch.setattr(bounds_zhou2022, "COUNTERS", bounds_zhou2022.PAPER)
    for further in ("_successors", "_lq_counters"):
        monkeypatch.setattr(horizons, further, lambda *_: [])
    monkeypatch.setattr(bounds_liao2021, "horizons", partial(bounds_liao2021.horizons, counters=bounds_zhou2022.PAPER))
    browser.get(address(site, "horizon.html"))
    points = horizon_points()
    script = "return arguments[0].map(([paper, made, which]) => privrl.horizon.horizon(paper, made, which))"
    for point, answer in zip(points, browser.execute_script(script, points), strict=True):
        paper, given, calibrations = point
        monkeypatch.setattr(pucb_horizon, "CALIBRATIONS", calibrations)
        found = horizons.horizons(paper, horizons.setting(paper, **given))
        assert answer["start"] == found.means
        rows = {(row.counter, row.calibration): (row.start, row.below_trivial) for row in found.rows}
        mine = {(row["counter"], row["calibration"]): (row["start"], row["below_trivial"]) for row in answer["rows"]}
        assert set(mine) == set(rows), point
        for key, values in rows.items():
            near = partial(close, within=2e-3) if paper == "vietri2020" and key[1] == "tight" else close
            assert all(map(near, mine[key], values)), (point, key, mine[key], values)


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
    printed = words(CliRunner().invoke(main, ["horizon", "chowdhury2021", "--epsilon", "2"]).output)
    browser.get(address(site, "horizon.html"))
    field = browser.find_element(By.NAME, "epsilon")
    field.clear()
    field.send_keys("2", Keys.ENTER)
    WebDriverWait(browser, 20).until(lambda one: one.find_elements(By.CSS_SELECTOR, ".answer[data-done]"))
    for text in browser.find_element(By.CSS_SELECTOR, ".answer").text.splitlines():
        if not text.startswith(("The same on", "Episodes needed")):
            assert words(text) in printed, text
    assert browser.find_element(By.CSS_SELECTOR, ".command code").text == "privrl horizon chowdhury2021 --epsilon 2"


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
