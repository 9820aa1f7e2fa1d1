// Agents: their tasks as conversations. A task can be started here, watched
// while it works, answered when it asks, and continued.
import { useEffect } from "preact/hooks";
import { queryText } from "../api";
import { ago } from "../format";
import { useLoad, useNow, useThrottled } from "../load";
import { Empty, Loading, Problem, State } from "../parts/basics";
import { chosenEvent } from "../parts/time_slider";
import { change, param } from "../router";
import { listen } from "../stream";
import { Composer, type AgentSetup } from "./agent_composer";
import { Conversation, type Task } from "./agent_talk";

interface TaskRow { id: string; task: string; state: string; events: number; created: number; updated: number }

const NEW = "new"; // In the address: a task that is being written.

export function Agent() {
  const list = useLoad<{ items: TaskRow[] }>("/agent-tasks?limit=100");
  const setup = useLoad<AgentSetup>("/agent-setup");
  const now = useNow();
  const isEmpty = list.data?.items.length === 0;
  const chosen = isEmpty ? NEW : param("task") || list.data?.items[0]?.id || "";
  const isNew = chosen === NEW;
  const at = chosenEvent();
  const task = useLoad<Task>(chosen && !isNew ? `/agent-tasks/${encodeURIComponent(chosen)}` + queryText({ at: at || null }) : null);
  const reload = useThrottled(() => { list.reload(); if (!chosenEvent()) task.reload(); }, 400);
  useEffect(() => listen({ path: "/stream", after: 0, onEvents: reload }), []);
  const choose = (id: string) => change({ task: id, at: null }, true);
  const started = (id: string) => { choose(id); list.reload(); };
  return (
    <>
      <header class="head">
        <div>
          <h1>Agent</h1>
          <p>Say what to do. The agent plans, calls tools, asks before anything dangerous, and learns skills from what worked.</p>
        </div>
        {!isNew && list.data && <button type="button" class="primary" onClick={() => choose(NEW)}>New task</button>}
      </header>
      {list.failure && <Problem failure={list.failure} retry={list.reload} />}
      {!list.data && !list.failure && <Loading />}
      {isEmpty && (
        <>
          <Empty title="No task yet"><p>Write below what an agent should do, and watch it work. Tasks of <code>lamarck agent run</code> appear here too.</p></Empty>
          <Composer setup={setup} started={started} />
        </>
      )}
      {list.data && !isEmpty && (
        <div class="agent">
          <nav class="card list tasks" aria-label="Tasks">
            {list.data.items.map((row) => (
              <button type="button" key={row.id} class="task-row" aria-current={row.id === chosen} onClick={() => choose(row.id)}>
                <b>{row.task}</b>
                <span class="row tiny muted"><State name={row.state} /> {ago(row.updated, now)}</span>
              </button>
            ))}
          </nav>
          <div class="stack">
            {isNew && <Composer setup={setup} started={started} cancel={() => change({ task: null }, true)} />}
            {!isNew && task.failure && <Problem failure={task.failure} retry={task.reload} />}
            {!isNew && (task.data?.id === chosen ? <Conversation key={chosen} task={task.data} now={now} setup={setup} open={started} reload={task.reload} /> : !task.failure && <Loading />)}
          </div>
        </div>
      )}
    </>
  );
}
