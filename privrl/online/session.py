"""A session: an agent that acts in a world that nobody knows, and is handed finished episodes, one
user at a time."""

from pathlib import Path
from typing import Any

import numpy as np

from privrl.checks import array, count, flag, require
from privrl.online.device import Device, SharingDevice, finished
from privrl.online.terms import Protection, Terms, alike, fingerprint
from privrl.privacy import exact, journal, snapshot
from privrl.privacy.once import Once
from privrl.privacy.shares import Sharing
from privrl.run.simulate import Agent
from privrl.types import Entries, FloatArray, Guarantee, Simulated

LEAST_JOURNAL = 2**20  # bytes; a small state is not written anew for every few records


class Session(Once):
    """An agent in service.

    Users are numbered from 0 in the order in which their episodes come in. A new plan is made after
    every ``every`` users; plan p is made of the first p * ``every``. With a ``path`` all of it is
    in that file before a new plan is shown and before a user is said to be counted (with a new plan
    the whole state, between two plans what the user adds): a process that
    is killed at any moment and started again with the same arguments goes on with the same plan. So
    noise is drawn once for a release, and a user is counted once. The file holds the exact sums and
    the noise: it is as secret as the data. Never go back to an older copy of it. Of two processes
    with one file the second to count is refused, under whatever name it opened it; a file with two
    names (a hard link) is refused.

    Threads may share a session: each call has its turn, and a user is counted once. Who reads
    ``learner`` while other threads count does so under ``with session.lock:``, and who acts while
    others count hands in ``plan`` too. A session is not copied, pickled or used in a fork, which
    would draw its noise again.

    Parameters
    ----------
    agent : any of this package's; a private one with the calibration ``corrected`` or ``tight``
    problem : what is known of the world, such as :func:`privrl.online.tabular`
    users : most that will be counted; enters noise, widths and bonuses
    noise : ``exact`` (of the system's generator; counters ``local``, ``tree``, ``smooth``, ``blt``,
        ``signed``, ``secure``) for people, or ``simulated``, floating point from a ``seed``
    every : users to a plan; fewer releases mostly need less noise. More than 1 needs an agent that
        counts late episodes
    path : of the session's file, which is made where there is none; None: nothing outlives the
        process
    must_exist : whether the file must be there: for every start but the first, so that a volume
        that is not mounted does not begin again at user 0

    Raises
    ------
    ValueError
        A seed with exact noise, or none with simulated; a path where no file can be, or none is
        that must be; a damaged file, or one of another agent, problem or setting.
    RuntimeError
        The file could not be written.
    ImportError
        Exact noise without OpenDP.
    """

    def __init__(
        self,
        agent: Agent,
        problem: Any,
        users: int,
        *,
        noise: str = "exact",
        seed: int | None = None,
        every: int = 1,
        path: str | Path | None = None,
        must_exist: bool = False,
    ) -> None:
        super().__init__()
        require(
            not flag("must_exist", must_exist) or path is not None,
            "path must be given where its file must exist",
            path=path,
        )
        self.terms = Terms(agent, problem, users, noise, seed, every)
        self.learner = self.terms.start()
        require(
            self.terms.every == 1 or self.learner.any_plan,
            "every must be 1 for an agent that learns from what the plan in force says",
            every=every,
        )
        self._protection = Protection(self.terms, self.learner, self.terms.releases)
        self._ties = self.terms.generators()[2]
        self._path = None if path is None else snapshot.place(path)
        self._sound = True
        self._devices = 0
        self._mark: str | None = None
        self.written = 0  #: bytes written to the file by this process
        self._whole = 0  # bytes of the file when all of it was written
        self._torn = False  # whether it ends in a part of a record
        is_stored = self._path is not None and self._path.exists()
        require(
            is_stored or not must_exist,
            "path must be of a file that exists: is its volume mounted?",
            path=str(path),
        )
        if self._path is not None and is_stored:
            self._load(self._path)
        else:
            self._save()

    @property
    def users(self) -> int:
        """Users who have been counted: the number of the next one."""
        with self._alone():
            return int(self.learner.state.finished)

    @property
    def plan(self) -> int:
        """Number of the plan in force; the first, 0, has read nothing."""
        return self._plan(self.users)

    @property
    def guarantee(self) -> Guarantee | Simulated:
        """(epsilon, delta) of all that is ever released, when one user's episode is replaced; inf
        without noise.

        With simulated noise it is :class:`privrl.types.Simulated`: a seed protects nobody.
        Over ``secure`` it holds as long as the secure sum does what it should, and of a node's n
        users floor(0.9 n) add their shares and tell nobody (docs/trust.md).
        """
        return self._protection.guarantee

    def act(self, step: int, state: Any) -> Any:
        """The action at a step (0..H - 1) under the plan in force; among equal ones at random."""
        with self._alone():
            self._usable()
            return self.learner.choose(step, state, float(self._ties.random()))

    def observe(self, trajectory: Any, user: int | None = None, plan: int | None = None) -> bool:
        """Count a finished episode; False where this user has been counted before, and nothing is
        done.

        Parameters
        ----------
        trajectory : (states, actions, rewards) as in :class:`privrl.agents.trajectory.Trajectory`
        user : the user's number, so that an episode may be handed in again after a crash; None: the
            next one
        plan : number of the plan that was followed; None: the one in force

        Raises
        ------
        ValueError
            A trajectory that is not of this problem (refused whole; the words quote it, and are for
            its user alone), a user whose turn has not come, a plan that does not exist yet, an
            older plan of an agent that cannot count late episodes; nothing is counted.
        RuntimeError
            Another process has gone on from the file, it could not be written, or this session
            failed before: open it anew. Or this is a fork of the process that opened it.
        """
        require(
            self.terms.counter != "local",
            "over the counter local users send messages: Device(..).message, then receive",
            counter="local",
        )
        require(
            not self.terms.shared,
            "over the counter secure users share noise: SharingDevice(..).message to a secure sum, "
            "then receive_total",
            counter="secure",
        )
        with self._alone():
            if not self._turn(user, plan):
                return False
            self._count(self._protection.rounded(self.learner.entries(finished(trajectory))))
            return True

    def receive(
        self, message: FloatArray, user: int | None = None, plan: int | None = None
    ) -> bool:
        """As :meth:`observe`, over ``local``: the message (W,) of a user's :class:`Device`, noise
        included."""
        require(
            self.terms.counter == "local",
            "messages are for the counter local",
            counter=self.terms.counter,
        )
        with self._alone():
            if not self._turn(user, plan):
                return False
            checked = array("message", message, (self._protection.noisy.size,))
            most = 2.0**52 * self._protection.grid or 1e100
            largest = np.abs(checked).max()
            require(largest <= most, f"a message must be within {most:g}", largest=largest)
            self._count(Entries.of(checked))
            return True

    def receive_total(self, total: Any, user: int | None = None, plan: int | None = None) -> bool:
        """As :meth:`observe`, over ``secure`` with exact noise: what a secure sum handed out.

        Parameters
        ----------
        total : (W',) of whole numbers, the sum of the node that ends with this user: over its users
            who are there, of the first ``sharing.handed_out(user + 1, dropped)`` parts of their
            messages (:class:`privrl.online.SharingDevice`). None for the last user, after whom
            nothing is released
        """
        shared = self.sharing
        with self._alone():
            if not self._turn(user, plan):
                return False
            last = self.users == shared.users
            require(
                last == (total is None),
                "a total must be there for every user but the last",
                user=self.users,
            )
            if total is not None:
                self._protection.noise.put(total)
            # the server has no sums but those with noise
            self._count(Entries.of(np.zeros(self._protection.noisy.size)))
            return True

    @property
    def sharing(self) -> Sharing:
        """What users' devices and secure sums need to know, over ``secure`` with exact noise."""
        require(
            self.terms.shared,
            "users must share noise: counter secure, noise exact",
            counter=self.terms.counter,
            noise=self.terms.noise,
        )
        return self._protection.sharing

    def sharing_device(self, user: int | None = None) -> SharingDevice:
        """The device of a user under the plan in force; None: of the next one."""
        with self._alone():
            device_ = SharingDevice(self.terms, self.users if user is None else user)
            device_.update(self.learner.snapshot())
            return device_

    def device(self, users: int = 1) -> Device:
        """A device under the plan in force, the next one of this process."""
        with self._alone():
            device_ = Device(self.terms, users, self._devices)
            self._devices += 1
            device_.update(self.learner.snapshot())
            return device_

    def _usable(self) -> None:
        if not self._sound:
            raise RuntimeError(
                "a session that failed while it counted must be opened anew from its file"
            )

    def _turn(self, user: int | None, plan: int | None) -> bool:
        self._usable()
        due, in_force = self.users, self.plan
        number = due if user is None else count("user", user, 0)
        if number < due:
            return False
        require(number == due, f"user must be {due}, the next one", user=number)
        require(
            number < self.terms.users,
            f"users must be <= {self.terms.users}, what the noise was made for",
            users=number + 1,
        )
        followed = in_force if plan is None else count("plan", plan, 0)
        require(
            followed <= in_force, f"plan must be <= {in_force}, the one in force", plan=followed
        )
        require(
            followed == in_force or self.learner.any_plan,
            f"plan must be {in_force}, the one in force, for an "
            "agent that cannot count late episodes",
            plan=followed,
        )
        return True

    def _count(self, entries: Entries) -> None:
        users = self.users
        before = self._plan(users)
        if self._plan(users + 1) == before and not self._long():
            self._sound = False  # until it is in the file and here
            self._append(entries)
            self.learner.add(entries)
            self._sound = True
            return
        learner = self.learner.snapshot()
        self._sound = False  # until all of it is in the file
        try:
            self.learner.add(entries)
            if self.plan > before:
                noise = (
                    self._protection.row(self.learner.released_sums)
                    if self.terms.counter != "local"
                    else np.zeros(entries.width)
                )
                self.learner.prepare(noise, scaled=True)
            self._save()
        except BaseException:
            self.learner.restore(learner)  # nobody may see a plan that is not in the file
            raise
        self._sound = True

    def _plan(self, users: int) -> int:
        """Number of the plan that is in force after so many users."""
        return min(users // self.terms.every, self.terms.releases)

    def _long(self) -> bool:
        """Whether all of the file is to be written anew: its end is of no use, or it has more
        records than state."""
        if self._mark is None:
            return False
        return self._torn or snapshot.size_of(self._mark) > 2 * self._whole + LEAST_JOURNAL

    def _save(self) -> None:
        if self._path is None:
            return
        noise = self._protection.noise.state() if self._protection.noise is not None else {}
        arrays = {f"learner.{name}": value for name, value in self.learner.snapshot().items()}
        arrays |= {f"noise.{name}": value for name, value in noise.items()} | self._agreed()
        try:
            self._mark = snapshot.write(self._path, arrays, self._mark)
        except ValueError as error:  # nothing that was handed in is at fault
            raise RuntimeError(str(error)) from None
        self._whole, self._torn = snapshot.size_of(self._mark), False
        self.written += self._whole

    def _append(self, entries: Entries) -> None:
        if self._path is None or self._mark is None:
            return
        try:
            payload = journal.packed(entries)
            self._mark = journal.append(self._path, payload, self._mark)
            self.written += journal.size(payload)
        except ValueError as error:  # nothing that was handed in is at fault
            raise RuntimeError(str(error)) from None

    def _agreed(self) -> dict[str, Any]:
        """What every opening of the file must have in common."""
        digest, floats = fingerprint(self.terms)
        return {
            "terms": np.array(digest),
            "floats": floats,
            "scales": np.array(self.learner.noise_scales(), dtype=np.float64),
            "calibrated": np.array([self._protection.grid, *self._protection.nominal]),
        }

    def _load(self, path: Path) -> None:
        agreed = self._agreed()
        arrays, records, self._mark, self._torn = journal.read(path, "session", tuple(agreed))
        require(
            str(arrays.pop("terms")) == str(agreed["terms"])
            and alike(arrays.pop("floats"), agreed["floats"]),
            "path must be of a session with the same agent, problem and settings",
            path=path.name,
        )
        calibrated = arrays.pop("calibrated")
        require(
            snapshot.close(arrays.pop("scales"), agreed["scales"])
            and snapshot.close(calibrated, agreed["calibrated"]),
            "this version must have the scales, the grid and the guarantee of the session's file",
            path=path.name,
        )
        # noise that was drawn before may have been less by a last bit
        nominal = self._protection.nominal
        self._protection.nominal = Guarantee(
            max(float(calibrated[1]), nominal.epsilon), nominal.delta
        )
        parts: dict[str, dict[str, Any]] = {"learner": {}, "noise": {}}
        for name, value in arrays.items():
            group, _, field = name.partition(".")
            require(group in parts, "a snapshot must be of a session", path=path.name, array=name)
            parts[group][field] = value
        for name, value in parts["learner"].items():
            if value.dtype.kind == "f":
                snapshot.finite(name, value, value.shape)
        self.learner.restore(parts["learner"])
        snapshot.whole("users", parts["learner"]["clock"].reshape(()), self.terms.users)
        self._whole = snapshot.size_of(self._mark) - sum(map(journal.size, records))
        self._replay(records)
        noise = self._protection.noise
        require(
            noise is not None or not parts["noise"],
            "a snapshot must hold no noise for an agent without",
            path=path.name,
        )
        if noise is not None:
            noise.restore(parts["noise"])
            planned = 0 if self.terms.counter == "local" else self.plan  # devices draw their own
            require(
                noise.released == planned,
                f"a snapshot of {self.users} users must have {planned} releases",
                released=noise.released,
            )

    def _replay(self, records: list[bytes]) -> None:
        """Count what was appended, all of it under one plan."""
        users, grid = int(self.learner.state.finished), self._protection.grid
        require(
            users + len(records) <= self.terms.users
            and self._plan(users + len(records)) == self._plan(users),
            "a session's records must belong to one plan",
            users=users,
            records=len(records),
        )
        for record in records:
            row = journal.unpacked(record, self._protection.noisy.size)
            require(
                not grid or bool((exact.on_grid(row, grid) == row).all()),
                "a session's records must be on the grid",
                grid=grid,
            )
            self.learner.absorb(row)
