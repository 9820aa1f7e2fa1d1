// Writes a task for an agent, or a further message of a conversation: the text,
// files, and if wanted a plan and limits.
import { useRef, useState } from "preact/hooks";
import { post, queryText, upload } from "../api";
import { bytes } from "../format";
import type { Loaded } from "../load";
import { useAction } from "../parts/basics";
import type { Upload } from "../types";

export interface AgentSetup {
  can_start: boolean; model: string | null; message: string; agents: string[];
  tools: { name: string; description: string; needs: string[] }[];
}

// What a tool with this capability does.
export const DANGERS: Record<string, string> = {
  network: "uses the network", sends: "sends data", deletes: "deletes", executes: "runs a program",
};

const EXAMPLE = `{
  "params": {"a": 2, "b": 3},
  "steps": [
    {"tool": "formula_evaluate", "action": "add the numbers",
     "arguments": {"formula": "a+b", "values": {"a": {"$param": "a"}, "b": {"$param": "b"}}}}
  ]
}`;

// The JSON of a plan; undefined = none. Throws a sentence for people.
function planOf(text: string): unknown {
  if (!text.trim()) return undefined;
  try {
    return JSON.parse(text);
  } catch (reason) {
    throw new Error("The plan is not valid JSON: " + (reason as Error).message);
  }
}

// `after` is the task that the message follows.
export function Composer({ setup, started, after, cancel }: {
  setup: Loaded<AgentSetup>; started: (id: string) => void; after?: string; cancel?: () => void;
}) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<Upload[]>([]);
  const [plan, setPlan] = useState("");
  const [agent, setAgent] = useState("");
  const [steps, setSteps] = useState("100");
  const field = useRef<HTMLInputElement>(null);
  const { run, busy, failure } = useAction();
  const ready = setup.data;
  const canSend = !busy && text.trim() !== "" && ready?.can_start !== false;
  const send = () => {
    if (!canSend) return;
    void run(async () => {
      const body = {
        task: text.trim(), plan: planOf(plan), steps: Number(steps),
        ...(files.length ? { files: files.map((each) => each.id) } : {}), ...(agent ? { agent } : {}),
      };
      const task = await post<{ id: string }>(after ? `/agent-tasks/${encodeURIComponent(after)}/messages` : "/agent-tasks", body);
      setText("");
      started(task.id);
    });
  };
  const attach = (list: FileList | null | undefined) => {
    // The list of the field is emptied while they are sent.
    const chosen = [...(list ?? [])];
    if (!chosen.length) return;
    void run(async () => {
      const added: Upload[] = [];
      for (const file of chosen) added.push(await upload<Upload>("/uploads" + queryText({ name: file.name }), file, "text/csv"));
      setFiles((old) => [...old, ...added]);
    });
  };
  return (
    <form class="card composer" aria-label={after ? "Further message" : "New task"}
      onSubmit={(event) => { event.preventDefault(); send(); }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => { event.preventDefault(); attach(event.dataTransfer?.files); }}>
      <label>{after ? "Continue from here" : "What should the agent do?"}
        <textarea value={text} rows={after ? 2 : 3} onInput={(event) => setText(event.currentTarget.value)}
          placeholder={after ? "A further message. The agent remembers the conversation and its files." : "Find the law in planets.csv and predict the next value"}
          onKeyDown={(event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(); } }} />
      </label>
      {files.length > 0 && (
        <ul class="row files" aria-label="Added files">
          {files.map((each) => (
            <li key={each.id} class="chip">{each.name}{each.bytes ? <span class="muted"> {bytes(each.bytes)}</span> : null}
              <button type="button" class="icon" aria-label={`Leave out ${each.name}`} onClick={() => setFiles(files.filter((other) => other !== each))}>×</button>
            </li>
          ))}
        </ul>
      )}
      {ready?.message && <p class="hint">{ready.message}</p>}
      <details>
        <summary>Plan and limits</summary>
        <div class="stack">
          <label>Plan as JSON{ready?.model ? "; without one, the model decides" : ""}
            <textarea class="mono" rows={7} spellcheck={false} value={plan} onInput={(event) => setPlan(event.currentTarget.value)} />
          </label>
          <div class="row">
            <button type="button" class="small" onClick={() => setPlan(EXAMPLE)}>Insert an example</button>
            {ready && ready.agents.length > 1 && (
              <label class="inline">Agent <select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
                <option value="">{after ? "the same" : "default"}</option>
                {ready.agents.filter((name) => after || name !== "default").map((name) => <option key={name}>{name}</option>)}
              </select></label>
            )}
            <label class="inline">At most <input type="number" class="short-number" min={1} max={10000} value={steps} onInput={(event) => setSteps(event.currentTarget.value)} /> calls</label>
          </div>
          {ready && ready.tools.length > 0 && (
            <dl class="tools-list" tabIndex={0} aria-label="Tools">
              {ready.tools.map((tool) => (
                <div key={tool.name}>
                  <dt><code>{tool.name}</code> {tool.needs.map((need) => <span key={need} class="danger-mark">{DANGERS[need] ?? need}, asks first</span>)}</dt>
                  <dd>{tool.description}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      </details>
      <div class="row">
        <button type="button" disabled={busy} onClick={() => field.current?.click()}>Add a CSV file</button>
        <input ref={field} type="file" accept=".csv,.tsv,.txt,text/csv" multiple hidden aria-label="CSV files"
          onChange={(event) => { attach(event.currentTarget.files); event.currentTarget.value = ""; }} />
        <span class="muted tiny">{ready?.model ? `Model: ${ready.model}` : ""}</span>
        <span class="end row">
          {cancel && <button type="button" onClick={cancel}>Cancel</button>}
          <button type="submit" class="primary" disabled={!canSend}>{busy ? "Sending" : after ? "Send" : "Start"}</button>
        </span>
      </div>
      {failure && <p class="failure" role="alert">{failure}</p>}
    </form>
  );
}
