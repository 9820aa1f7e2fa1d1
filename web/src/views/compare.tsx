// Runs side by side: their options, results and curves.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Failure, get } from "../api";
import { duration, errorText, number, setting, words } from "../format";
import { Card, Choice, Empty, Loading, Problem, State } from "../parts/basics";
import { Chart, type Line } from "../parts/chart";
import { Formula } from "../parts/formula";
import { NetworkPicture } from "../parts/network_picture";
import { change, param, query } from "../router";
import { listen } from "../stream";
import type { Curve, Run, RunState, Values } from "../types";
import { addressOf } from "./overview";
import { setZoom, zoomParam } from "./score_chart";

const COLORS = ["accent", "blue", "amber", "violet", "red", "green"];
const AXES = [["seconds", "Seconds"], ["evaluations", "Evaluations"], ["generation", "Generation"]] as const;
type Axis = (typeof AXES)[number][0];
interface Both { run: Run; curve: Curve; state: RunState | null }

// One x axis for curves that were measured at different places.
function joined(parts: Both[], axis: Axis, series: "score" | "loss"): { x: number[]; lines: Line[] } {
  const places = new Set<number>();
  for (const { curve } of parts) for (const value of curve.x[axis]) if (value !== null) places.add(value);
  const x = [...places].sort((a, b) => a - b);
  const lines = parts.map(({ run, curve }, i): Line => {
    const known = new Map<number, number | null>();
    curve.x[axis].forEach((place, j) => { if (place !== null) known.set(place, curve[series][j]); });
    const values: Values = x.map((place) => known.get(place) ?? null);
    return { name: run.id, values, color: COLORS[i % COLORS.length] };
  });
  return { x, lines };
}

// What the run has found: its network, its law or its program.
function Found({ part: { run, state }, color }: { part: Both; color: string }) {
  const law = state?.front?.find((each) => each.chosen) ?? state?.front?.at(-1);
  return (
    <Card title={<><i class={"dot c-" + color} /> {run.goal || run.id} <span class="muted">{run.id}</span></>}>
      {state?.network && state.network.nodes.length > 0 ? <NetworkPicture network={state.network} seq={state.network_seq ?? state.seq} />
        : law ? <><div class="law"><Formula tree={law.mathml} text={law.formula} /></div><p class="muted tiny">Size {law.size}, NMSE {errorText(law.nmse)}</p></>
        : state?.source ? <pre>{state.source}</pre> : <p class="muted">No result yet.</p>}
    </Card>
  );
}

export function Compare() {
  const ids = query.value.getAll("run").slice(0, COLORS.length);
  const [parts, setParts] = useState<Both[] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const key = ids.join(" ");
  useEffect(() => {
    let isCurrent = true;
    const load = () => Promise.all(ids.map(async (id) => {
      const base = "/runs/" + encodeURIComponent(id);
      const [run, curve, state] = await Promise.all([
        get<Run>(base), get<Curve>(base + "/curve?points=300"), get<RunState>(base + "/view").catch(() => null),
      ]);
      return { run, curve, state };
    })).then((all) => { if (isCurrent) { setParts(all); setFailure(null); } }, (reason) => isCurrent && setFailure(reason));
    void load();
    const stop = listen({ path: "/stream", after: 0, onEvents: () => void load() });
    return () => { isCurrent = false; stop(); };
  }, [key]);
  const axis = (AXES.find(([name]) => name === param("x"))?.[0] ?? "seconds") as Axis;
  const isFlat = (parts ?? []).every(({ curve }) => curve.score.every((value) => value === null || value === parts![0].run.score));
  const series = (param("y") || (isFlat ? "loss" : "score")) === "loss" ? "loss" : "score";
  const { x, lines } = useMemo(() => joined(parts ?? [], axis, series), [parts, axis, series]);
  if (ids.length === 0) return <Empty title="No runs chosen"><p>Mark two or more runs in <a href="/">the list</a>, then compare them.</p></Empty>;
  if (!parts) return failure ? <Problem failure={failure} /> : <Loading />;
  const names = [...new Set(parts.flatMap(({ run }) => Object.keys(run.options ?? {})))].sort();
  const text = (value: unknown) => (value === undefined || value === null ? "–" : setting(value));
  return (
    <>
      <header class="head"><div><div class="crumb"><a href="/">Runs</a> / compare</div><h1>{ids.length} runs side by side</h1></div></header>
      <Card wide title={`${series} over time`} tools={
        <>
          <Choice label="Show" value={series} options={[["score", "Score"], ["loss", "Loss"]] as const} choose={(y) => change({ y })} />
          <Choice label="Over" value={axis} options={AXES} choose={(next) => change({ x: next, zoom: null })} />
          <button type="button" class="small" aria-pressed={param("log") === "1"} onClick={() => change({ log: param("log") === "1" ? null : "1" })}>Log</button>
        </>
      }>
        <Chart x={x} xName={axis} lines={lines} log={param("log") === "1"} smoothing={0} zoom={zoomParam()} onZoom={setZoom} label="Scores" height={300} />
      </Card>
      <div class="grid">
        {parts.map((part, i) => <Found key={part.run.id} part={part} color={COLORS[i % COLORS.length]} />)}
      </div>
      <Card wide title="Options and results">
        <div class="wide-table" tabIndex={0} role="region" aria-label="Options and results">
          <table>
            <thead><tr><th />{parts.map(({ run }, i) => <th key={run.id} scope="col"><i class={"dot c-" + COLORS[i]} /> <a href={addressOf(run)}>{run.id}</a></th>)}</tr></thead>
            <tbody>
              <tr><th scope="row">Goal</th>{parts.map(({ run }) => <td key={run.id}>{run.goal}</td>)}</tr>
              <tr><th scope="row">State</th>{parts.map(({ run }) => <td key={run.id}><State name={run.state} /></td>)}</tr>
              <tr><th scope="row">Score</th>{parts.map(({ run }) => <td key={run.id}>{number(run.score)} <span class="muted">{run.score_name}</span></td>)}</tr>
              <tr><th scope="row">Time</th>{parts.map(({ run }) => <td key={run.id}>{run.started ? duration((run.ended ?? run.updated) - run.started) : "–"}</td>)}</tr>
              <tr><th scope="row">Seed</th>{parts.map(({ run }) => <td key={run.id}>{text(run.seed)}</td>)}</tr>
              {names.map((name) => {
                const values = parts.map(({ run }) => text(run.options?.[name]));
                const isSame = values.every((value) => value === values[0]);
                return <tr key={name} class={isSame ? "" : "differs"}><th scope="row">{words(name)}</th>{values.map((value, i) => <td key={i} class="mono">{value}</td>)}</tr>;
              })}
            </tbody>
          </table>
        </div>
      </Card>
    </>
  );
}
