// One task of an agent as a part of a conversation: what was said before, the
// plan, the calls as they happen, questions, the answer and what came of it.
import { useEffect } from "preact/hooks";
import { download, post } from "../api";
import { ago, bytes, count, duration, plural, words } from "../format";
import { useLoad, type Loaded } from "../load";
import { Card, CopyButton, Fact, State, useAction } from "../parts/basics";
import { TimeSlider } from "../parts/time_slider";
import { Composer, type AgentSetup } from "./agent_composer";
import { Answers, Question, type PermissionAnswer, type PermissionQuestion } from "./agent_question";

interface Step { tool: string; action: string; arguments: Record<string, unknown> }
interface Group { skill_id: string; skill_name: string; steps: Step[]; error: string; is_done: boolean; has_failed: boolean }
interface Call { tool: string; arguments: unknown; result: unknown; succeeded: boolean; is_finished: boolean; duration_ms: number; run?: string }
export interface Task {
  id: string; task: string; state: string; agent: string; workspace: string; answer: string; session_id: string;
  groups: Group[]; calls: Call[]; permissions: string[]; skills_offered: string[]; run_state: string;
  learning: { state: string; message: string; skill_id: string } | null;
  reflection: { success: boolean; summary: string; reusability: number } | null;
  question: PermissionQuestion | null; answers: PermissionAnswer[]; history: { role: string; content: string }[];
  previous: string; next: string; parent: string; starter: string; stop_message: string;
  tokens: number; model_calls: number; time_ms: number; at: number; as_of: number; created: number; updated: number;
}

const QUIET = 60_000; // A task of another process without an event for so long may have lost it.

// Why nothing was learned, or the skill that came of it.
function Learned({ task }: { task: Task }) {
  const learning = task.learning;
  if (!learning) return <>not yet</>;
  if (learning.skill_id) return <>a <a href={"/skills/" + learning.skill_id}>skill</a></>;
  if (learning.state === "queued" || learning.state === "running") return <>a skill is being written</>;
  return <>no{learning.message && <span class="muted">: {learning.message}</span>}</>;
}

// The run that a call evolved, or "".
function evolvedRun(call: Call): string {
  const result = call.result as { run?: unknown } | null;
  return call.tool.startsWith("evolve_") && typeof result?.run === "string" ? result.run : "";
}

export function Conversation({ task, now, setup, open, reload }: {
  task: Task; now: number; setup: Loaded<AgentSetup>; open: (id: string) => void; reload: () => void;
}) {
  const isPast = task.at < task.as_of;
  const hasEnded = task.state === "END";
  const isOwn = task.starter === "server" && !task.parent;
  // A skill is written after the last event of the task.
  const isLearning = task.learning?.state === "queued" || task.learning?.state === "running";
  useEffect(() => {
    if (!isLearning || isPast) return;
    const timer = setInterval(reload, 1500);
    return () => clearInterval(timer);
  }, [isLearning, isPast]);
  return (
    <>
      <TimeSlider newest={task.as_of} label="Event of the task" />
      {task.previous && <p class="tiny"><a href={"/agent?task=" + encodeURIComponent(task.previous)}>The task before this one</a></p>}
      {task.parent && <p class="tiny">A part of <a href={"/agent?task=" + encodeURIComponent(task.parent)}>another task</a></p>}
      {task.history.map((message, i) => (
        <div key={i} class={"bubble earlier " + (message.role === "user" ? "person" : "reply")}>
          <span class="tiny muted">{message.role === "user" ? "Earlier" : "Answer"}</span>{message.role === "user" ? <p>{message.content}</p> : <Answer text={message.content} />}
        </div>
      ))}
      <div class="bubble person"><span class="tiny muted">Task</span><p>{task.task}</p></div>
      {task.groups.map((group, i) => <Plan key={i} group={group} />)}
      {task.calls.length > 0 && <Calls calls={task.calls} />}
      {task.answers.length > 0 && <Card title="Permissions"><Answers answers={task.answers} /></Card>}
      {task.question && !isPast && isOwn && <Question task={task.id} question={task.question} answered={reload} />}
      {task.question && (isPast || !isOwn) && <p class="hint">Here the task waited for the permission to call <code>{task.question.tool}</code>.</p>}
      {task.answer && <div class="bubble reply"><span class="tiny muted">Answer</span><Answer text={task.answer} /></div>}
      {task.stop_message && !hasEnded && <p class="hint" role="status">Stopped: {task.stop_message}</p>}
      <Summary task={task} isPast={isPast} now={now} />
      {isOwn && <Files task={task} />}
      {!isPast && <Next task={task} now={now} setup={setup} open={open} reload={reload} />}
    </>
  );
}

// The answer of a plan is the last result: an object whose fields are shown.
function Answer({ text }: { text: string }) {
  let fields: [string, unknown][] = [];
  try {
    const json = JSON.parse(text) as unknown;
    if (json && typeof json === "object" && !Array.isArray(json)) fields = Object.entries(json);
  } catch {
    // Words of a model.
  }
  if (fields.length === 0) return <p>{text}</p>;
  if (fields.length === 1 && typeof fields[0][1] === "string") return <p>{fields[0][1].trimEnd()}</p>;
  return (
    <dl class="arguments">
      {fields.map(([name, value]) => <div key={name}><dt>{words(name)}</dt><dd>{typeof value === "string" ? value.trimEnd() : JSON.stringify(value)}</dd></div>)}
    </dl>
  );
}

// What can be done now: stop, resume, or continue.
function Next({ task, now, setup, open, reload }: { task: Task; now: number; setup: Loaded<AgentSetup>; open: (id: string) => void; reload: () => void }) {
  const { run, busy, failure } = useAction();
  const act = (what: string) => void run(async () => { await post(`/agent-tasks/${encodeURIComponent(task.id)}/${what}`); reload(); });
  if (task.parent) return null;
  if (task.starter !== "server") {
    const isQuiet = task.run_state !== "running" || now - task.updated > QUIET;
    return task.state !== "END" && isQuiet
      ? <p class="row"><CopyButton text={`lamarck agent run --resume ${task.id}`}>Copy the command that resumes it</CopyButton></p> : null;
  }
  if (task.state === "END") {
    if (task.next) return <p><a href={"/agent?task=" + encodeURIComponent(task.next)}>The conversation continues</a></p>;
    return <Composer setup={setup} started={open} after={task.id} />;
  }
  return (
    <div class="row">
      {task.stop_message
        ? <button type="button" class="primary" disabled={busy} onClick={() => act("resume")}>Resume</button>
        : <button type="button" class="danger" disabled={busy} onClick={() => act("stop")}>Stop</button>}
      {failure && <p class="failure" role="alert">{failure}</p>}
    </div>
  );
}

function Calls({ calls }: { calls: Call[] }) {
  return (
    <Card title={<>Tool calls <span class="muted">{calls.length}</span></>}>
      <ol class="calls">
        {calls.map((call, i) => (
          <li key={i}>
            <details>
              <summary>
                <span class={"verdict " + (!call.is_finished ? "rolled" : call.succeeded ? "kept" : "broke")}>{!call.is_finished ? "running" : call.succeeded ? "ok" : "failed"}</span>
                <code>{call.tool}</code>
                <span class="muted tiny clip">{JSON.stringify(call.arguments)}</span>
                <span class="muted tiny end">{call.is_finished ? duration(call.duration_ms) : ""}</span>
              </summary>
              {call.run && <p><a href={"/agent?task=" + encodeURIComponent(call.run)}>The part of the task that the other agent worked on</a></p>}
              <pre>{JSON.stringify({ arguments: call.arguments, result: call.result }, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Summary({ task, isPast, now }: { task: Task; isPast: boolean; now: number }) {
  const hasEnded = task.state === "END";
  const rests = hasEnded || task.run_state !== "running";
  const skills = task.groups.filter((group) => group.skill_id);
  const runs = task.calls.map(evolvedRun).filter((run) => run);
  const always = task.permissions.filter((name) => !task.answers.some((each) => each.question.tool === name));
  return (
    <Card title="This task">
      <dl class="facts">
        <Fact name="State">{hasEnded || (rests && !isPast) ? <State name={task.run_state} /> : words(task.state.toLowerCase())}</Fact>
        <Fact name="Agent">{task.agent}</Fact>
        <Fact name="Model calls">{count(task.model_calls)}</Fact>
        <Fact name="Tokens">{count(task.tokens)}</Fact>
        {!isPast && <Fact name={hasEnded ? "Took" : "Started"}>{hasEnded ? duration(Math.max(task.time_ms, task.updated - task.created)) : ago(task.created, now)}</Fact>}
        {skills.length > 0 && <Fact name="Skills reused">{skills.map((group, i) => <span key={i}>{i > 0 && ", "}<a href={"/skills/" + group.skill_id}>{group.skill_name}</a></span>)}</Fact>}
        {task.session_id && <Fact name="Thoughts"><a href={"/thoughts/" + task.session_id}>how it was planned</a></Fact>}
        {always.length > 0 && <Fact name="Approved">{always.join(", ")}</Fact>}
        {runs.length > 0 && <Fact name="Evolved by it">{runs.map((run, i) => <span key={run}>{i > 0 && ", "}<a href={"/runs/" + encodeURIComponent(run)}>{run}</a></span>)}</Fact>}
        <Fact name="Learned from it"><Learned task={task} /></Fact>
      </dl>
      {task.reflection && <p class="muted reflection">{task.reflection.summary}</p>}
    </Card>
  );
}

function Files({ task }: { task: Task }) {
  const list = useLoad<{ items: { path: string; bytes: number }[] }>(`/agent-tasks/${encodeURIComponent(task.id)}/files`);
  useEffect(list.reload, [task.as_of]);
  const { run, failure } = useAction();
  if (!list.data?.items.length) return null;
  const fetchFile = (path: string) =>
    void run(() => download(`/agent-tasks/${encodeURIComponent(task.id)}/file?path=${encodeURIComponent(path)}`, path.split("/").pop() ?? path));
  return (
    <Card title={<>Files <span class="muted">{list.data.items.length}</span></>}>
      <ul class="row files">
        {list.data.items.map((each) => (
          <li key={each.path}><button type="button" class="small" onClick={() => fetchFile(each.path)}>{each.path} <span class="muted">{bytes(each.bytes)}</span></button></li>
        ))}
      </ul>
      {failure && <p class="failure" role="alert">{failure}</p>}
    </Card>
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
