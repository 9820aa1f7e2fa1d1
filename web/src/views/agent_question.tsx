// The question whether an agent may make a dangerous call, and the answers that
// were given.
import { useState } from "preact/hooks";
import { post } from "../api";
import { useAction } from "../parts/basics";
import { DANGERS } from "./agent_composer";

export interface PermissionQuestion { tool: string; arguments: unknown; needs: string[]; run: string }
export interface PermissionAnswer { question: PermissionQuestion; answer: "once" | "always" | "never"; comment: string; by: string }

// Text with line breaks is shown as it is, and everything else as JSON.
function Arguments({ value }: { value: unknown }) {
  const entries = value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [["", value] as [string, unknown]];
  return (
    <dl class="arguments">
      {entries.map(([name, each]) => (
        <div key={name}>
          {name && <dt>{name}</dt>}
          <dd><pre>{typeof each === "string" ? each : JSON.stringify(each, null, 2)}</pre></dd>
        </div>
      ))}
    </dl>
  );
}

export function Question({ task, question, answered }: { task: string; question: PermissionQuestion; answered: () => void }) {
  const [comment, setComment] = useState("");
  const { run, busy, failure } = useAction();
  const answer = (choice: PermissionAnswer["answer"]) =>
    void run(async () => {
      await post(`/agent-tasks/${encodeURIComponent(task)}/answer`, { answer: choice, comment: comment.trim() });
      answered();
    });
  const dangers = question.needs.map((need) => DANGERS[need] ?? need);
  return (
    <section class="card question" aria-label="Question of the agent">
      <header><h2><span role="status">May the agent call <code>{question.tool}</code>?</span></h2></header>
      <p>{dangers.length > 0 && <>This call {dangers.join(" and ")}. </>}It is made exactly as shown{question.run ? ", by the agent that works on a part of the task" : ""}. The task waits for you, also if the server is restarted.</p>
      <Arguments value={question.arguments} />
      <label>Comment for the agent, if you do not allow it
        <input type="text" value={comment} maxLength={1000} onInput={(event) => setComment(event.currentTarget.value)} placeholder="Why not, or what to do instead" />
      </label>
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={() => answer("once")}>Allow once</button>
        <button type="button" disabled={busy} onClick={() => answer("always")}>Allow in this task</button>
        <button type="button" class="danger end" disabled={busy} onClick={() => answer("never")}>Do not allow</button>
      </div>
      {failure && <p class="failure" role="alert">{failure}</p>}
    </section>
  );
}

const GIVEN = { once: "allowed once", always: "allowed in this task", never: "not allowed" } as const;

export function Answers({ answers }: { answers: PermissionAnswer[] }) {
  return (
    <ul class="answers">
      {answers.map((each, i) => (
        <li key={i}>
          <span class={"verdict " + (each.answer === "never" ? "broke" : "kept")}>{GIVEN[each.answer]}</span> <code>{each.question.tool}</code>
          {each.comment && <span>: {each.comment}</span>}
          {each.by && <span class="muted tiny"> by {each.by}</span>}
        </li>
      ))}
    </ul>
  );
}
