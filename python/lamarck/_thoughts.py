"""Thought sessions: a persistent graph of steps, branches and plans."""

import json

from . import _core
from ._command import Record

# One store for each journal, because sessions of a process share it.
_stores = {}


def _store(db):
    if db not in _stores:
        _stores[db] = _core.ThoughtStore(db or "")
    return _stores[db]


class ThoughtSession:
    """A session with hard budgets; it is completed at the end of `with`.

    `db` is the journal that it is recorded in; without one it lasts as long as
    the process. `resume` is the id of a session to resume.

    >>> from lamarck import ThoughtSession
    >>> with ThoughtSession("Migrate the schema",
    ...                     budget={"tokens": 50_000}) as session:
    ...     _ = session.step("Copy the rows, then switch")
    ...     _ = session.branch("in place", "Alter the table")
    ...     "2 branches" in session.digest() or "in place" in session.digest()
    True
    """

    def __init__(self, goal=None, *, success_criteria=(), budget=None, db=None,
                 resume=None):
        self.db = db
        self._core = _store(db)
        if resume is not None:
            self.id = resume
            self._core.control(self.id, "status", "")
            return
        if goal is None:
            raise _core.Error("A session needs a goal, or `resume` with the id "
                              "of a session.")
        limits = {"tokens": 20_000, "seconds": 600.0, "branches": 5}
        unknown = set(budget or {}) - set(limits)
        if unknown:
            raise _core.Error(f"budget may have {', '.join(limits)}, got "
                              f"{sorted(unknown)[0]!r}.")
        limits.update(budget or {})
        started = self._core.start(goal, list(success_criteria), **limits)
        self.id = json.loads(started)["session"]

    def _answer(self, text):
        return json.loads(text, object_hook=Record)

    def step(self, content, *, branch="main", role="planner", critique=False,
             parents=()):
        """Adds a thought of at most 400 characters."""
        return self._answer(self._core.step(
            self.id, branch, content, role, critique, list(parents)))

    def branch(self, name, content=None, *, of="main"):
        """Forks a branch; its first thought is `content`, or its name."""
        return self._answer(self._core.fork(
            self.id, of, [(name, content or name)]))

    def merge(self, *branches, into="main", content=""):
        """Merges the findings of branches."""
        return self._answer(self._core.merge(self.id, into, list(branches),
                                             content))

    def score(self, branch="main", *, completeness=0.0, risk=0.5, cost=1000.0):
        """Rates a branch: completeness and risk from 0 to 1, cost in tokens."""
        return self._answer(self._core.score(self.id, branch, completeness,
                                             risk, cost))

    def stop(self, branch, reason):
        """Ends a branch."""
        return self._answer(self._core.stop(self.id, branch, reason))

    def validate(self, plan, *, branch="main", plan_type="ExecutionPlan",
                 schema=None):
        """Checks a plan, a dict, and says what to change."""
        return self._answer(self._core.validate(
            self.id, branch, json.dumps(plan), plan_type,
            "" if schema is None else json.dumps(schema)))

    def export_plan(self, branch="main"):
        """The validated plan of a branch, which is executing afterwards."""
        return self._answer(self._core.export_plan(self.id, branch))

    def evidence(self, execution_id, success, summary="", *, branch="main"):
        """Reports what came of an execution; each is counted once."""
        return self._answer(self._core.receive(
            self.id, branch, execution_id, success, summary))

    def digest(self, max_tokens=200, *, branch=""):
        """A summary of the session, as text."""
        return self._answer(self._core.digest(self.id, branch,
                                              max_tokens)).digest

    def status(self):
        """State, branches and budgets."""
        return self._answer(self._core.control(self.id, "status", ""))

    def complete(self, note=""):
        """Ends the session: its goal is reached."""
        return self._answer(self._core.control(self.id, "complete", note))

    def fail(self, note=""):
        """Ends the session: its goal cannot be reached."""
        return self._answer(self._core.control(self.id, "fail", note))

    def mermaid(self):
        """The graph as a Mermaid diagram."""
        return self._core.exported(self.id, "mermaid")

    def __repr__(self):
        return f"ThoughtSession(resume={self.id!r})"

    def _repr_svg_(self):
        return self._core.exported(self.id, "svg")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if self.status().session_state in ("completed", "failed", "timeout"):
            return
        if kind is None:
            self.complete()
        else:
            self.fail(f"{kind.__name__}: {value}"[:400])
