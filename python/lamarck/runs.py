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
    """The newest runs first.

    >>> from lamarck import runs
    >>> runs.list(db=_example().db, search="books")[0].kind
    'thought'
    """
    return call("runs", "list", kind=kind, state=state, search=search,
                limit=limit, db=db).runs


def show(run, *, db=None):
    """A run with its result.

    A part of its id suffices, or "last" for the newest evolution and
    "last-thought" for the newest session.

    >>> from lamarck import runs
    >>> runs.show("last-thought", db=_example().db).kind
    'thought'
    """
    return call("runs", "show", str(run), db=db)


def events(run, *, after=None, db=None):
    """The recorded events of a run, oldest first.

    >>> from lamarck import runs
    >>> len(runs.events("last-thought", db=_example().db)) > 1
    True
    """
    return call_lines("runs", "tail", str(run), once=True, after=after, db=db)


def stop(run, *, db=None):
    """Asks a run to save its results and end.

    >>> import lamarck
    >>> try:
    ...     lamarck.runs.stop("last-thought", db=_example().db)
    ... except lamarck.Error as error:
    ...     error.code
    'failed_precondition'
    """
    return call("runs", "stop", str(run), db=db)


def _example():
    """A session in a journal of its own, for the examples."""
    import os
    import tempfile

    from ._thoughts import ThoughtSession

    session = ThoughtSession(
        "Sort the books", db=os.path.join(tempfile.mkdtemp(), "journal.db"))
    session.step("By colour")
    session.complete()
    return session
