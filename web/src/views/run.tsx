// One run: what every kind has, around what its kind shows.
import { useEffect, useRef, useState } from "preact/hooks";
import { download, get, post, queryText, remove } from "../api";
import { bytes, clock, duration, errorText, number, plural, setting, words } from "../format";
import { useLoad, useNow, useThrottled } from "../load";
import { Card, Fact, Loading, Meter, Problem, State, useAction } from "../parts/basics";
import { TimeSlider, chosenEvent } from "../parts/time_slider";
import { open } from "../router";
import { listen } from "../stream";
import type { Curve, Run, RunEvent, RunState } from "../types";
import { LawRun } from "./law_run";
import { NetworkRun } from "./network_run";
import { KIND_NAMES, budgetText } from "./overview";
import { ProgramRun } from "./program_run";
import { ScoreChart } from "./score_chart";

// The steps worth stopping at; the others only say that time passes.
// Sessions and tasks are kept by their own commands.
const EVOLVING = new Set(["net", "neat", "fn", "program"]);
const STEPS = new Set(["mutations", "best", "front", "program", "islands", "ended", "note"]);

interface EventPage { events: RunEvent[]; next: number | null; as_of: number }

// The numbers of those steps, and the newest event of the run.
function useSteps(id: string, onNews: () => void): { steps: number[]; newest: number; names: Map<number, string> } {
  const [state, setState] = useState({ steps: [] as number[], newest: 0, names: new Map<number, string>() });
  const own = useRef({ after: 0, busy: false, again: false });
  const read = async () => {
    const at = own.current;
    if (at.busy) return void (at.again = true);
    at.busy = true;
    try {
      let page: EventPage;
      do {
        at.again = false;
        page = await get<EventPage>(`/runs/${encodeURIComponent(id)}/events` + queryText({ after: at.after, limit: 1000 }));
        const { events, as_of } = page;
        if (events.length > 0) at.after = events[events.length - 1].seq;
        setState((old) => {
          const added = events.filter((event) => STEPS.has(event.type));
          for (const event of added) old.names.set(event.seq, event.type);
          return { steps: added.length ? [...old.steps, ...added.map((event) => event.seq)] : old.steps, newest: as_of, names: old.names };
        });
      } while (page.next !== null && page.events.length > 0 || at.again);
    } catch {
      // The next event, or the reconnection, reads again.
    }
    at.busy = false;
    onNews();
  };
  const readSoon = useThrottled(() => void read(), 400);
  useEffect(() => {
    void read();
    return listen({ path: `/stream?run=${encodeURIComponent(id)}`, after: 0, onEvents: readSoon });
  }, [id]);
  return state;
}

export function RunView({ id }: { id: string }) {
  const base = "/runs/" + encodeURIComponent(id);
  const run = useLoad<Run>(base);
  const curve = useLoad<Curve>(base + "/curve?points=600");
  const at = chosenEvent();
  const view = useLoad<RunState>(base + "/view" + queryText({ at: at || null }));
  const { steps, newest, names } = useSteps(id, () => {
    run.reload();
    curve.reload();
    if (!chosenEvent()) view.reload();
  });
  if (!run.data) return run.failure ? <Problem failure={run.failure} retry={run.reload} /> : <Loading />;
  const it = run.data;
  const shown = at || newest;
  const parts = { run: it, state: view.data, newest };
  return (
    <>
      <header class="head">
        <div>
          <div class="crumb"><a href="/">Runs</a> / {KIND_NAMES[it.kind] ?? it.kind} / <span class="mono">{it.id}</span></div>
          <h1>{it.goal || it.id}</h1>
          {it.message && <p>{it.message}</p>}
        </div>
        <Actions run={it} done={run.reload} />
      </header>
      <Facts run={it} state={view.data} isPast={at > 0 && at < newest} />
      {newest > 1 && <TimeSlider newest={newest} label="Event of the run" marks={steps} note={names.has(shown) ? words(names.get(shown)!) : undefined} />}
      {view.failure && <Problem failure={view.failure} retry={view.reload} />}
      <div class="grid">
        {curve.data && curve.data.seq.length > 0 && <ScoreChart run={it} curve={curve.data} at={at} laws={it.kind === "fn" ? view.data?.front : undefined} />}
        {it.kind === "fn" && <LawRun {...parts} />}
        {(it.kind === "net" || it.kind === "neat") && <NetworkRun {...parts} />}
        {it.kind === "program" && <ProgramRun {...parts} />}
        <div class="stack">
          <Downloads run={it} />
          <Settings run={it} />
        </div>
      </div>
    </>
  );
}

function Actions({ run, done }: { run: Run; done: () => void }) {
  const { run: act, busy, failure } = useAction();
  const [asks, setAsks] = useState(false);
  const base = "/runs/" + encodeURIComponent(run.id);
  return (
    <div class="row actions">
      <State name={run.state} />
      {run.can_stop && <button type="button" disabled={busy} onClick={() => act(async () => { await post(base + "/stop"); done(); })}>Stop</button>}
      {run.can_resume && <button type="button" class="primary" disabled={busy} onClick={() => act(async () => { await post(base + "/resume"); done(); })}>Resume</button>}
      <a class="button" href={"/?mark=" + encodeURIComponent(run.id)}>Compare</a>
      {!run.can_stop && EVOLVING.has(run.kind) && !asks && <button type="button" class="danger" onClick={() => setAsks(true)}>Delete</button>}
      {asks && (
        <span class="row" role="alertdialog" aria-label="Delete this run">
          <span class="tiny">Delete the run and its record?</span>
          <button type="button" class="danger small" disabled={busy} onClick={() => act(async () => { await remove(base); open("/"); })}>Delete</button>
          <button type="button" class="small" onClick={() => setAsks(false)}>Keep</button>
        </span>
      )}
      {failure && <p class="failure" role="alert">{failure}</p>}
    </div>
  );
}

// A network is compared by validation rows, and scored once by held-out rows.
const scoreRows = (run: Run, isPast: boolean): string =>
  run.kind !== "net" ? "" : !isPast && run.result?.test_score != null ? ", held-out rows" : ", validation rows";

function Facts({ run, state, isPast }: { run: Run; state: RunState | null; isPast: boolean }) {
  const now = useNow(1000);
  const score = isPast ? state?.score ?? null : run.score;
  const spent = (run.ended ?? now) - (run.started ?? run.created);
  return (
    <dl class="card facts">
      <Fact name={words(run.score_name || "score") + (isPast ? " then" : "") + scoreRows(run, isPast)}><span class="big">{run.kind === "fn" ? errorText(score) : number(score)}</span></Fact>
      {state?.loss != null && state.loss !== state.score && <Fact name={run.kind === "net" ? "Loss, validation rows" : "Loss"}><span class="big">{number(state.loss)}</span></Fact>}
      {state?.generation != null && <Fact name="Generation"><span class="big">{number(state.generation)}</span></Fact>}
      {state?.evaluations != null && <Fact name="Evaluations"><span class="big">{number(state.evaluations)}</span></Fact>}
      <Fact name={run.ended ? "Took" : "Running for"}><span class="big">{duration(isPast && state?.seconds != null ? state.seconds * 1000 : spent)}</span></Fact>
      {run.budget && run.budget.limit !== null && (
        <div class="fact grow"><dt>Budget</dt><dd>{budgetText(run.budget)}<Meter value={run.budget.spent ?? 0} limit={run.budget.limit} label="Budget spent" warns={run.state === "running"} /></dd></div>
      )}
    </dl>
  );
}

function Downloads({ run }: { run: Run }) {
  const { run: act, failure } = useAction();
  if (run.artifacts.length === 0) return null;
  const fetchFile = (name: string) => act(() => download(`/runs/${encodeURIComponent(run.id)}/artifacts/${encodeURIComponent(name)}`, name));
  return (
    <Card title="Files">
      <ul class="files">
        {run.artifacts.map((file) => (
          <li key={file.name}>
            <button type="button" class="small" onClick={() => fetchFile(file.name)}>{file.name}</button>
            <span class="muted tiny">{bytes(file.bytes)}</span>
          </li>
        ))}
        {run.exports.map((name) => (
          <li key={name}>
            <button type="button" class="small" onClick={() => fetchFile(name)}>{name}</button>
            <span class="muted tiny">export</span>
          </li>
        ))}
      </ul>
      {failure && <p class="failure" role="alert">{failure}</p>}
    </Card>
  );
}

function Settings({ run }: { run: Run }) {
  const rows = Object.entries(run.options ?? {}).filter(([, value]) => value !== null && value !== "");
  return (
    <Card title="Settings">
      <dl class="settings">
        <div><dt>Started</dt><dd>{clock(run.started ?? run.created)}</dd></div>
        {run.seed !== null && <div><dt>Seed</dt><dd>{run.seed}</dd></div>}
        {rows.map(([name, value]) => (
          <div key={name}><dt>{words(name)}</dt><dd class="mono">{setting(value)}</dd></div>
        ))}
        {run.folder && <div><dt>Folder</dt><dd class="mono">{run.folder}</dd></div>}
      </dl>
      {rows.length === 0 && <p class="muted">{plural(0, "option")}: everything at its default.</p>}
    </Card>
  );
}
