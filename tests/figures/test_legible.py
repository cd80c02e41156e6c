"""What is read at a glance: legends are short, no text is small or cut off. The figures themselves
are held to it where they are drawn, in ``test_registry.py``."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from figures import style

ENTRIES, SMALLEST = 7, 7.0  # of one legend; points
TOUCHED = 1.5  # pixels of a box's rim that a line may touch


def crossed(figure: Figure) -> list[str]:
    """Words and legends within a panel through which a line of that panel runs.

    Words that have a box of their own, and marks without a line, cannot be crossed.
    """
    crossings = []
    for axes in figure.axes:
        boxes = {
            text.get_text(): text.get_window_extent()
            for text in axes.texts
            if text.get_visible() and text.get_text() and text.get_bbox_patch() is None
        }
        if (legend := axes.get_legend()) is not None:
            boxes["the legend"] = legend.get_window_extent()
        paths = [
            line.get_transform().transform_path(line.get_path())
            for line in axes.lines
            if line.get_visible() and str(line.get_linestyle()).lower() not in {"none", "", " "}
        ]
        crossings += [
            f"crossed: {words}"
            for words, box in boxes.items()
            if any(path.intersects_bbox(box.padded(-TOUCHED), filled=False) for path in paths)
        ]
    return crossings


def faults(figure: Figure, message: str) -> list[str]:
    """What a reader would stumble over."""
    FigureCanvasAgg(figure).draw()
    legends = figure.findobj(Legend)  # those of panels and of parts of the figure too
    long = [len(legend.get_texts()) for legend in legends if len(legend.get_texts()) > ENTRIES]
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    small = [text.get_text() for text in texts if text.get_fontsize() < SMALLEST]
    words = [*figure.texts, *(text for legend in legends for text in legend.get_texts())]
    words += [text for axes in figure.axes for text in axes.texts]
    title = next(text for text in figure.findobj(Text) if text.get_text() == message)
    cut = [
        text.get_text()
        for text in (title, *words)
        if text.get_visible()
        and not -1
        <= text.get_window_extent().x0
        <= text.get_window_extent().x1
        <= figure.bbox.width + 1
    ]
    return [
        *crossed(figure),
        *(f"{entries} entries" for entries in long),
        *(f"small: {words}" for words in small),
        *(f"cut: {words}" for words in cut),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entries", "size", "words", "fault"),
    [
        (7, 7.0, "here", ""),
        (8, 7.0, "here", "8 entries"),
        (7, 6.9, "here", "small: here"),
        (7, 7.0, "here " * 60, "cut: here"),
    ],
)
def test_what_is_not_read_at_a_glance_is_seen(
    entries: int, size: float, words: str, fault: str
) -> None:
    figure, ((axes,),) = style.figure(2.0)
    for entry in range(entries):
        axes.plot([0, 1], [0, entry / 100], label=f"line {entry}")
    axes.set_ylim(0, 1)
    axes.legend(loc="upper left")
    axes.text(0.6, 0.5, words, fontsize=size).set_in_layout(False)
    found = faults(style.entitled(figure, "a title"), "a title")
    assert found == [] if not fault else any(one.startswith(fault) for one in found)


@pytest.mark.parametrize(("height", "legend"), [(0.5, "lower right"), (0.2, "upper right")])
def test_words_and_legends_that_a_line_crosses_are_seen(height: float, legend: str) -> None:
    figure, ((axes,),) = style.figure(2.0)
    axes.plot([0, 1], [0.5, 0.5], label="a level")
    axes.plot([0.7, 1], [0.9, 0.9])
    axes.text(0.1, height, "words", va="center")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.legend(loc=legend)
    found = faults(style.entitled(figure, "a title"), "a title")
    assert found == (["crossed: words"] if height == 0.5 else ["crossed: the legend"])
