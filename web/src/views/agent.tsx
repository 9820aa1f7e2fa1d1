// Agents: their tasks as conversations, with plans, tool calls and skills.
import { useEffect } from "preact/hooks";
import { queryText } from "../api";
import { ago, count, duration, plural, words } from "../format";
import { useLoad, useNow, useThrottled } from "../load";
import { Card, CopyButton, Empty, Fact, Loading, Problem, State } from "../parts/basics";
import { TimeSlider, chosenEvent } from "../parts/time_slider";
import { change, param } from "../router";
import { listen } from "../stream";

interface TaskRow { id: string; task: string; state: string; events: number; created: number; updated: number }
interface Step { tool: string; action: string; arguments: Record<string, unknown> }
interface Group { skill_id: string; skill_name: string; steps: Step[]; error: string; is_done: boolean; has_failed: boolean }
interface Call { tool: string; arguments: unknown; result: unknown; succeeded: boolean; is_finished: boolean; duration_ms: number }
interface Task {
  id: string; task: string; state: string; agent: string; workspace: string; answer: string; session_id: string;
  groups: Group[]; calls: Call[]; permissions: string[]; skills_offered: string[]; run_state: string;
  learning: { state: string; message: string; skill_id: string } | null;
  reflection: { success: boolean; summary: string; reusability: number } | null;
  tokens: number; model_calls: number; time_ms: number; at: number; as_of: number; created: number; updated: number;
}

export function Agent() {
  const list = useLoad<{ items: TaskRow[] }>("/agent-tasks?limit=100");
  const now = useNow();
  const chosen = param("task") || list.data?.items[0]?.id || "";
  const at = chosenEvent();
  const task = useLoad<Task>(chosen ? `/agent-tasks/${encodeURIComponent(chosen)}` + queryText({ at: at || null }) : null);
  const reload = useThrottled(() => { list.reload(); if (!chosenEvent()) task.reload(); }, 700);
  useEffect(() => listen({ path: "/stream", after: 0, onEvents: reload }), []);
  return (
    <>
      <header class="head">
        <div>
          <h1>Agent</h1>
          <p>Tasks in plain words: the plan, every tool call, the skills that were reused and what was learned.</p>
        </div>
      </header>
      {list.failure && <Problem failure={list.failure} retry={list.reload} />}
      {!list.data && !list.failure && <Loading />}
      {list.data && list.data.items.length === 0 && (
        <Empty title="No task yet">
          <p>Give an agent a task in a terminal. You can watch it here while it works.</p>
          <pre>lamarck agent run "Find the law in planets.csv and predict the next value" --workspace .</pre>
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <div class="agent">
          <nav class="card list tasks" aria-label="Tasks">
            {list.data.items.map((row) => (
              <button type="button" key={row.id} class="task-row" aria-current={row.id === chosen} onClick={() => change({ task: row.id, at: null }, true)}>
                <b>{row.task}</b>
                <span class="row tiny muted"><State name={row.state} /> {ago(row.updated, now)}</span>
              </button>
            ))}
          </nav>
          <div class="stack">
            {task.failure && <Problem failure={task.failure} retry={task.reload} />}
            {task.data ? <Conversation task={task.data} now={now} /> : !task.failure && <Loading />}
          </div>
        </div>
      )}
    </>
  );
}

const QUIET = 60_000; // A task without an event for so long may have lost its process.

// Why nothing was learned, or the skill that came of it.
function Learned({ task }: { task: Task }) {
  const learning = task.learning;
  if (!learning) return <>not yet</>;
  if (learning.skill_id) return <>a <a href={"/skills/" + learning.skill_id}>skill</a></>;
  if (learning.state === "queued" || learning.state === "running") return <>a skill is being written</>;
  return <>no{learning.message && <span class="muted">: {learning.message}</span>}</>;
}

function Conversation({ task, now }: { task: Task; now: number }) {
  const skills = task.groups.filter((group) => group.skill_id);
  const isPast = task.at < task.as_of;
  const hasEnded = task.state === "END";
  const canResume = !hasEnded && !isPast && (task.run_state !== "running" || now - task.updated > QUIET);
  return (
    <>
      <TimeSlider newest={task.as_of} label="Event of the task" />
      <div class="bubble person"><span class="tiny muted">Task</span><p>{task.task}</p></div>
      {task.groups.map((group, i) => <Plan key={i} group={group} />)}
      {task.calls.length > 0 && (
        <Card title={<>Tool calls <span class="muted">{task.calls.length}</span></>}>
          <ol class="calls">
            {task.calls.map((call, i) => (
              <li key={i}>
                <details>
                  <summary>
                    <span class={"verdict " + (!call.is_finished ? "rolled" : call.succeeded ? "kept" : "broke")}>{!call.is_finished ? "running" : call.succeeded ? "ok" : "failed"}</span>
                    <code>{call.tool}</code>
                    <span class="muted tiny clip">{JSON.stringify(call.arguments)}</span>
                    <span class="muted tiny end">{call.is_finished ? duration(call.duration_ms) : ""}</span>
                  </summary>
                  <pre>{JSON.stringify({ arguments: call.arguments, result: call.result }, null, 2)}</pre>
                </details>
              </li>
            ))}
          </ol>
        </Card>
      )}
      {task.answer && <div class="bubble reply"><span class="tiny muted">Answer</span><p>{task.answer}</p></div>}
      <Card title="This task">
        <dl class="facts">
          <Fact name="State">{hasEnded ? <State name={task.run_state} /> : words(task.state.toLowerCase())}</Fact>
          <Fact name="Agent">{task.agent}</Fact>
          <Fact name="Model calls">{count(task.model_calls)}</Fact>
          <Fact name="Tokens">{count(task.tokens)}</Fact>
          {!isPast && <Fact name={hasEnded ? "Took" : "Running for"}>{duration(Math.max(task.time_ms, (hasEnded || canResume ? task.updated : now) - task.created))}</Fact>}
          {skills.length > 0 && <Fact name="Skills reused">{skills.map((group, i) => <span key={i}>{i > 0 && ", "}<a href={"/skills/" + group.skill_id}>{group.skill_name}</a></span>)}</Fact>}
          {task.session_id && <Fact name="Thoughts"><a href={"/thoughts/" + task.session_id}>{task.session_id}</a></Fact>}
          {task.permissions.length > 0 && <Fact name="Approved">{task.permissions.join(", ")}</Fact>}
          <Fact name="Learned from it"><Learned task={task} /></Fact>
        </dl>
        {task.reflection && <p class="muted reflection">{task.reflection.summary}</p>}
        {canResume && <p class="row"><CopyButton text={`lamarck agent run --resume ${task.id}`}>Copy the command that resumes it</CopyButton></p>}
      </Card>
    </>
  );
}

function Plan({ group }: { group: Group }) {
  return (
    <Card title={group.skill_id ? <>Skill <a href={"/skills/" + group.skill_id}>{group.skill_name}</a></> : <>Plan <span class="muted">{plural(group.steps.length, "step")}</span></>}>
      <ol class="steps">
        {group.steps.map((step, i) => <li key={i}>{step.action && step.action !== step.tool && <b>{step.action} </b>}<code>{step.tool}</code></li>)}
      </ol>
      {group.error && <p class="failure">{group.error}</p>}
    </Card>
  );
}
