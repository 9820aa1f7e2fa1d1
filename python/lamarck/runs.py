"""The runs of a journal: evolutions, thought sessions and agent tasks.

>>> import os, tempfile
>>> from lamarck import runs
>>> db = os.path.join(tempfile.mkdtemp(), "journal.db")
>>> from lamarck import ThoughtSession
>>> with ThoughtSession("Sort the books", db=db) as session:
...     _ = session.step("By colour")
>>> [run.kind for run in runs.list(db=db)]
['thought']
"""

from ._command import call, call_lines


def list(*, kind=None, state=None, search=None, limit=None, db=None):
    """The newest runs first."""
    return call("runs", "list", kind=kind, state=state, search=search,
                limit=limit, db=db).runs


def show(run, *, db=None):
    """A run with its result; a part of its id or "last" suffices."""
    return call("runs", "show", str(run), db=db)


def events(run, *, after=None, db=None):
    """The recorded events of a run, oldest first."""
    return call_lines("runs", "tail", str(run), once=True, after=after, db=db)


def stop(run, *, db=None):
    """Asks a run to save its results and end."""
    return call("runs", "stop", str(run), db=db)
