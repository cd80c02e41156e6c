"""What is read at a glance: legends are short, no text is small or cut off. The figures themselves
are held to it where they are drawn, in ``test_registry.py``."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from figures import style

ENTRIES, SMALLEST = 7, 7.0  # of one legend; points


def faults(figure: Figure, message: str) -> list[str]:
    """What a reader would stumble over."""
    FigureCanvasAgg(figure).draw()
    every = [figure.legends, *([axes.get_legend()] for axes in figure.axes)]
    legends = [legend for group in every for legend in group if legend is not None]
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
        *(f"{entries} entries" for entries in long),
        *(f"small: {words}" for words in small),
        *(f"cut: {words}" for words in cut),
    ]


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
        axes.plot([0, 1], [0, entry], label=f"line {entry}")
    axes.legend()
    axes.text(0.2, 0.2, words, fontsize=size).set_in_layout(False)
    found = faults(style.entitled(figure, "a title"), "a title")
    assert found == [] if not fault else any(one.startswith(fault) for one in found)
