"""Thoughts, skills, runs, agents and the server."""

import os

import pytest

import lamarck


def test_thought_session_is_recorded_and_resumed(tmp_path):
    db = str(tmp_path / "journal.db")
    with lamarck.ThoughtSession("Migrate the schema", db=db,
                                budget={"tokens": 50_000}) as session:
        session.step("Copy the rows, then switch")
        session.branch("in place", "Alter the table")
        session.score("in place", completeness=0.9, risk=0.1)
        plan = {"dry_run": True, "rollback": {"strategy": "git_revert"},
                "limits": {"max_changes": 4, "max_files": 2},
                "capabilities_required": ["edit"],
                "success_criteria": ["the tests pass"]}
        answer = session.validate(plan, branch="in place")
        assert "graph" in session.mermaid() or "flowchart" in session.mermaid()
        assert session._repr_svg_().startswith("<svg")
    again = lamarck.ThoughtSession(resume=session.id, db=db)
    assert again.status().session_state == "completed"
    assert "in place" in again.digest()
    assert answer
    shown = lamarck.runs.show(session.id, db=db)
    assert shown.kind == "thought"


def test_thought_errors(tmp_path):
    with pytest.raises(lamarck.Error, match="needs a goal"):
        lamarck.ThoughtSession()
    with pytest.raises(lamarck.Error, match="budget may have"):
        lamarck.ThoughtSession("x", budget={"hours": 1})
    with pytest.raises(lamarck.Error):
        lamarck.ThoughtSession("x").step("long " * 100)


def trace(order, customer):
    return {"session_id": order,
            "request": f"Quote the refund of order {order} of customer "
                       f"{customer}",
            "calls": [
                {"tool": "find_customer", "arguments": {"name": customer},
                 "result": {"id": "c-" + customer}},
                {"tool": "find_order",
                 "arguments": {"customer": "c-" + customer, "order": order},
                 "result": {"key": "k-" + order}},
                {"tool": "get_quote", "arguments": {"key": "k-" + order},
                 "result": {"state": "ready"}}],
            "reflection": {"success": True, "summary": "Done.",
                           "reusability": 0.9}}


def test_skills_are_learned_reviewed_and_found(tmp_path):
    skills = lamarck.Skills(tmp_path / "skills.db")
    jobs = skills.learn(trace("1234", "Ada"), trace("5678", "Bob"))
    assert jobs[0].state == "done"
    skills.review(jobs[0].skill_id, comment="Checked.")
    found = skills.search("Quote the refund of order 99 of customer Eve")
    assert found
    assert skills.search("Paint the bridge green") == []
    assert len(skills.list()) == 1


def test_agent_executes_a_plan(tmp_path):
    agent = lamarck.Agent(workspace=tmp_path, data_dir=tmp_path / "data")
    run = agent.run("Write a file", plan=[
        {"tool": "file_write",
         "arguments": {"path": "a.txt", "content": "hello"}}])
    assert run.success
    assert (tmp_path / "a.txt").read_text() == "hello"


def test_runs_of_a_missing_journal(tmp_path):
    with pytest.raises(lamarck.Error, match="no journal"):
        lamarck.runs.list(db=str(tmp_path / "nothing.db"))


def test_server_starts_and_stops(tmp_path):
    import urllib.request

    with lamarck.serve(data_dir=tmp_path) as server:
        with urllib.request.urlopen(server.url + "/health") as reply:
            assert reply.status == 200
    assert server._process.returncode is not None
    with pytest.raises(lamarck.Error, match="did not start: .*not.a.host"):
        lamarck.serve(host="not.a.host")


def test_clients_of_mcp_are_told_to_start_this_python():
    import json
    import subprocess
    import sys

    from lamarck import _program

    program = _program.path()
    config = subprocess.run([program, "mcp", "--print-config", "claude"],
                            check=True, capture_output=True, text=True,
                            env={**os.environ, "PATH": "/usr/bin:/bin"}).stdout
    server = json.loads(config)["mcpServers"]["lamarck"]
    assert server["command"] == sys.executable
    assert server["args"][:3] == ["-m", "lamarck", "mcp"]


def test_program_evolves_in_the_sandbox(tmp_path):
    folder = os.path.join(os.path.dirname(__file__),
                          "../../examples/programs/job_order")
    found = lamarck.evolve_program(folder, out=str(tmp_path / "out"),
                                   budget="20eval", islands=1, seed=1)
    assert os.path.exists(tmp_path / "out")
    assert found.evaluations >= 1


def test_errors_of_commands_have_a_code(tmp_path):
    skills = lamarck.Skills(tmp_path / "skills.db")
    with pytest.raises(lamarck.Error) as raised:
        skills.show("nothing")
    assert raised.value.code == "not_found"
    with pytest.raises(lamarck.Error, match="budget") as raised:
        lamarck.evolve_program(tmp_path, budget="5 parsecs")
    assert raised.value.code == "invalid_argument"
    assert "--" not in str(raised.value)
