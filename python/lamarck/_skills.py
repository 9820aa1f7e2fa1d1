"""Skills: steps that solved a task before."""

import json
import os
import tempfile

from ._command import call


class Skills:
    """The skills in a file; without one, those of the user.

    >>> import os, tempfile
    >>> from lamarck import Skills
    >>> skills = Skills(os.path.join(tempfile.mkdtemp(), "skills.db"))
    >>> skills.list()
    []
    >>> skills.search("rename a column")
    []
    """

    def __init__(self, path=None, *, org=None, data_dir=None):
        self._flags = {"skills": None if path is None else str(path),
                       "org": org, "data_dir": data_dir}

    def _call(self, *words, **options):
        return call("skills", *words, **self._flags, **options)

    def list(self, *, status=None, agent=None, count=None):
        """The skills, those that were used last first."""
        return self._call("list", status=status, agent=agent,
                          count=count).skills

    def search(self, task, *, agent=None):
        """The approved skills that fit a task, the best first."""
        return self._call("search", task, agent=agent).skills

    def show(self, id):
        """A skill with its steps and parameters."""
        return self._call("show", id)

    def learn(self, *traces, agent=None):
        """Learns from traces: dicts of what tools were called, or files.

        Returns the finished jobs; a new skill awaits `review`.
        """
        files = [trace for trace in traces if not isinstance(trace, dict)]
        given = [trace for trace in traces if isinstance(trace, dict)]
        with tempfile.TemporaryDirectory() as folder:
            if given:
                files.append(os.path.join(folder, "traces.jsonl"))
                with open(files[-1], "w", encoding="utf-8") as file:
                    for trace in given:
                        file.write(json.dumps(trace) + "\n")
            return self._call("learn", *map(str, files), agent=agent).jobs

    def review(self, id, *, approve=True, comment=None):
        """Approves a skill, or rejects it."""
        return self._call("review", id, reject=not approve, comment=comment)

    def export(self, id, out="."):
        """Writes a folder with a SKILL.md."""
        return self._call("export", id, out=str(out))

    def stats(self):
        """How many skills there are, and what came of their use."""
        return self._call("stats")
