"""Pictures to play with in the notebooks: the tree that fills as users come."""

from matplotlib.patches import Rectangle

from figures import style
from figures.kinds.lines import Figure, single
from privrl.checks import require


def nodes(time: int) -> list[tuple[int, int]]:
    """The blocks (first, last) that a release at ``time`` adds up, by the binary digits of
    ``time``.

    >>> nodes(6)
    [(1, 4), (5, 6)]
    """
    blocks = []
    while time:
        size = time & -time
        blocks.append((time - size + 1, time))
        time -= size
    return blocks[::-1]


def holding(user: int, time: int) -> list[tuple[int, int]]:
    """All complete blocks up to ``time`` that hold ``user``.

    >>> holding(1, 6)
    [(1, 1), (1, 2), (1, 4)]
    """
    blocks = []
    end = user
    while end <= time:
        size = end & -end
        blocks.append((end - size + 1, end))
        end += size
    return blocks


@style.styled
def tree(time: int, user: int = 1, size: int = 32) -> Figure:
    """The binary tree after ``time`` of ``size`` users: a box per noisy node that is complete.

    Orange: nodes that hold ``user``. With a thick frame: those whose sum is released at ``time``.
    """
    require(1 <= user <= size and 1 <= time <= size, "users and times are in 1..size", user=user)
    figure, axes = single(2.6)
    mine, released = set(holding(user, time)), set(nodes(time))
    levels = size.bit_length()
    for end in range(1, size + 1):
        width = end & -end
        block, level = (end - width + 1, end), width.bit_length() - 1
        done = end <= time
        colour = style.COLOURS["corrected"] if block in mine else style.PALETTE[9]
        axes.add_patch(
            Rectangle(
                (block[0] - 0.45, level + 0.1),
                width - 0.1,
                0.8,
                facecolor=colour if done else "none",
                alpha=0.75 if done else 1.0,
                edgecolor="black" if block in released else style.GREY,
                linewidth=1.8 if block in released else 0.4,
                linestyle="-" if done else ":",
            )
        )
    axes.axvline(time + 0.5, color=style.GREY, linewidth=0.8)
    axes.set(
        xlim=(0.3, size + 0.7),
        ylim=(0, levels + 0.1),
        xlabel="users",
        ylabel="level",
        yticks=[level + 0.5 for level in range(levels)],
        yticklabels=[str(level) for level in range(levels)],
    )
    axes.grid(visible=False)
    where = f"is in {len(mine)}" if user <= time else "has not come yet"
    figure.suptitle(
        f"After {_counted(time, 'user')}: a release adds up {_counted(len(released), 'node')}, "
        f"user {user} {where}"
    )
    return figure


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
