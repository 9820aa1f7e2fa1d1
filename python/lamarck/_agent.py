"""An agent that plans with thoughts and acts with tools."""

import json
import os
import tempfile

from ._command import call


class Agent:
    """Works on tasks in a folder, within the permissions that it has.

    A task needs a language model (see `lamarck agent run --help`), or a plan:
    a list of dicts with `tool` and `arguments`.

    >>> import tempfile
    >>> from lamarck import Agent
    >>> folder = tempfile.mkdtemp()
    >>> agent = Agent(workspace=folder, data_dir=folder)
    >>> plan = [{"tool": "file_write",
    ...          "arguments": {"path": "a.txt", "content": "hello"}}]
    >>> agent.run("Write a file", plan=plan).success
    True
    """

    def __init__(self, name=None, *, workspace=None, data_dir=None,
                 says_yes=False, steps=None, allow_host=None, mcp=None):
        self._flags = {"agent": name, "workspace": workspace,
                       "data_dir": data_dir, "yes": says_yes, "steps": steps,
                       "allow_host": allow_host, "mcp": mcp}

    def run(self, task, *, plan=None, budget=None):
        """The record of the run: `state`, `success`, `answer`, `calls`."""
        if plan is None:
            return call("agent", "run", task, budget=budget, **self._flags)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(plan, file)
            return call("agent", "run", task, plan=path, budget=budget,
                        **self._flags)
