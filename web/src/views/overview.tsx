// All runs, live and past, and the place to start one from a table.
import { useEffect, useState } from "preact/hooks";
import { get, queryText } from "../api";
import { ago, duration, number, time } from "../format";
import { useLoad, useNow, useThrottled } from "../load";
import { Choice, Empty, Loading, Meter, Problem, SearchField, State } from "../parts/basics";
import { Spark } from "../parts/spark";
import { WindowList } from "../parts/window_list";
import { change, open, param } from "../router";
import { listen } from "../stream";
import type { Run } from "../types";
import { StartRun } from "./start_run";

export interface RunPage { runs: Run[]; next_cursor: string | null; as_of: number }

const STATES = [["", "All"], ["running", "Running"], ["done", "Done"], ["interrupted", "Interrupted"], ["failed", "Failed"], ["dead", "Dead"]] as const;
const KINDS = [["", "All kinds"], ["net", "Networks"], ["neat", "NEAT"], ["fn", "Laws"], ["program", "Programs"], ["agent", "Agents"]] as const;
export const KIND_NAMES: Record<string, string> = { net: "Network", neat: "NEAT", fn: "Law", program: "Program", thought: "Thoughts", agent: "Agent" };
const ROW = 76;
const MAX_COMPARED = 6;

export function Overview() {
  const filter = { q: param("q"), state: param("state"), kind: param("kind"), limit: 100 };
  const first = useLoad<RunPage>("/runs" + queryText(filter));
  const [more, setMore] = useState<Run[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const chosen = param("mark").split(" ").filter(Boolean);
  const now = useNow(1000);
  const reload = useThrottled(first.reload, 600);
  useEffect(() => listen({ path: "/stream", after: 0, onEvents: reload }), []);
  useEffect(() => { if (more.length === 0) setCursor(first.data?.next_cursor ?? null); }, [first.data]);
  useEffect(() => setMore([]), [filter.q, filter.state, filter.kind]);
  const loadMore = async () => {
    const page = await get<RunPage>("/runs" + queryText({ ...filter, cursor }));
    setMore([...more, ...page.runs]);
    setCursor(page.next_cursor);
  };
  const seen = new Set(first.data?.runs.map((run) => run.id));
  const rows = [...(first.data?.runs ?? []), ...more.filter((run) => !seen.has(run.id))];
  const isFiltered = filter.q || filter.state || filter.kind;
  const toggle = (id: string) =>
    change({ mark: (chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id].slice(-MAX_COMPARED)).join(" ") });
  return (
    <>
      <header class="head">
        <div>
          <h1>Runs</h1>
          <p>Networks, laws and programs that evolve or have evolved here.</p>
        </div>
      </header>
      <StartRun />
      <div class="bar">
        <SearchField label="Search runs" value={filter.q} choose={(q) => change({ q })} />
        <Choice label="State" value={filter.state} options={STATES} choose={(state) => change({ state })} />
        <label class="inline"><span class="unseen">Kind</span>
          <select value={filter.kind} onChange={(event) => change({ kind: event.currentTarget.value })}>
            {KINDS.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
        </label>
        {chosen.length < 2 && rows.length > 1 && <span class="muted tiny end" role="status">{chosen.length === 1 ? "Mark another run to compare it with." : "Mark runs to compare them."}</span>}
        {chosen.length > 1 && (
          <button type="button" class="primary small end" onClick={() => open("/compare?" + chosen.map((id) => "run=" + encodeURIComponent(id)).join("&"))}>
            Compare {chosen.length} runs
          </button>
        )}
      </div>
      {first.failure && <Problem failure={first.failure} retry={first.reload} />}
      {!first.data && !first.failure && <Loading />}
      {first.data && rows.length === 0 && (isFiltered ? (
        <Empty title="No run matches"><p><a href={"/" + queryText({ mark: param("mark") })}>Remove the filters</a> to see all.</p></Empty>
      ) : (
        <Empty title="No runs yet">
          <p>Drop a CSV file above, or start one in a terminal. It appears here at once.</p>
          <pre>lamarck evolve net iris.csv --target species</pre>
        </Empty>
      ))}
      {rows.length > 0 && (
        <div class="card list">
          <WindowList rows={rows} height={ROW} label="Runs" keyOf={(run) => run.id}>
            {(run) => <RunRow run={run} now={now} isChosen={chosen.includes(run.id)} toggle={toggle} />}
          </WindowList>
          {cursor && <button type="button" class="more" onClick={loadMore}>Show more</button>}
        </div>
      )}
    </>
  );
}

export const addressOf = (run: Run): string => (run.kind === "thought" ? "/thoughts/" : run.kind === "agent" ? "/agent?task=" : "/runs/") + encodeURIComponent(run.id);

// "12 of 30 s" or "340 generations".
export function budgetText(budget: Run["budget"]): string {
  if (!budget || budget.spent === null) return "";
  const isTime = budget.unit === "seconds";
  const value = (n: number) => (isTime ? duration(n * 1000) : number(n));
  const unit = isTime ? "" : " " + budget.unit;
  return budget.limit ? `${value(budget.spent)} of ${value(budget.limit)}${unit}` : value(budget.spent) + unit;
}

function RunRow({ run, now, isChosen, toggle }: { run: Run; now: number; isChosen: boolean; toggle: (id: string) => void }) {
  return (
    <div class={"run-row" + (isChosen ? " chosen" : "")}>
      <input type="checkbox" aria-label={`Compare ${run.goal || run.id}`} checked={isChosen} onChange={() => toggle(run.id)} />
      <a class="list-row" href={addressOf(run)}>
        <span class="list-main">
          <b class="clip">{run.goal || run.id}</b>
          <span class="muted tiny clip"><span class="kind">{KIND_NAMES[run.kind] ?? run.kind}</span> <span class="mono">{run.id}</span></span>
        </span>
        <State name={run.state} />
        <span class="run-curve">{run.curve && <Spark points={run.curve} label={`${run.score_name ?? "Score"} over time`} />}</span>
        <span class="run-score"><b>{number(run.score)}</b><span class="muted tiny clip">{run.score === null ? "" : run.score_name}</span></span>
        <span class="run-budget tiny">
          <span class="muted clip">{budgetText(run.budget)}</span>
          {run.budget?.limit ? <Meter value={run.budget.spent ?? 0} limit={run.budget.limit} label="Budget spent" warns={run.state === "running"} /> : null}
        </span>
        <span class="tiny muted number">{ago(time(run.updated), now)}</span>
      </a>
    </div>
  );
}
