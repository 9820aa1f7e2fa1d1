// How well a model fits: the confusion matrix of classes, or predicted against
// true, on the rows that were held out, and how much each input matters.
import { useEffect, useState } from "preact/hooks";
import { getFile, post } from "../api";
import { number, percent, plural } from "../format";
import { useLoad } from "../load";
import { Card } from "../parts/basics";
import { Chart, type Zoom } from "../parts/chart";
import { Scatter } from "../parts/scatter";
import type { Run, Values } from "../types";
import { isSeries } from "./forecast";
import type { Predictions } from "./predict_form";

// A sample of the table of a run.
export interface Rows { columns: string[]; target: string; rows: (number | string | null)[][]; total: number }

// What the run wrote about the rows that it never trained on.
interface HeldOut {
  kind: string; rows: number; target: string; classes?: string[]; counts?: number[][];
  pairs?: [number, number][]; actual?: Values; predicted?: Values; horizon?: number;
}

type Row = Record<string, number | string | null>;

const HELD_OUT = "held_out.json";
const MAX_INPUTS = 30;

const toRows = ({ columns, target, rows }: Rows): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]).filter(([name]) => name !== target)));

async function predict(id: string, rows: Row[]): Promise<(number | string)[]> {
  const reply = await post<Predictions>(`/runs/${encodeURIComponent(id)}/predict`, { rows });
  return reply.predictions.map((each) => (each.value ?? each.prediction) as number | string);
}

// The share of wrong classes, or the mean squared error.
function errorOf(truth: (number | string | null)[], predicted: (number | string)[], isClass: boolean): number {
  const each = truth.map((value, i) => (isClass ? (String(value) === String(predicted[i]) ? 0 : 1) : (Number(value) - Number(predicted[i])) ** 2));
  return each.reduce((sum, value) => sum + value, 0) / Math.max(1, each.length);
}

// The columns that the network reads: a number has its name, and a text one
// input for each value, "color=red"; a date has
// several, "date: weekday (sine)".
export function columnsRead(run: Run, columns: string[], target: string): string[] {
  const inputs = run.inputs ?? [];
  const rest = columns.filter((name) => name !== target);
  const read = rest.filter((name) => inputs.some((input) => input === name || input.startsWith(name + "=") || input.startsWith(name + ": ")));
  return read.length > 0 ? read : rest;
}

export function Fit({ run }: { run: Run }) {
  const held = useHeldOut(run);
  return (
    <>
      {held && <HeldOutFit held={held} />}
      {!isSeries(run) && held !== undefined && <TableFit run={run} showsFit={held === null} />}
    </>
  );
}

// Undefined while it is read; null for a run without the file.
function useHeldOut(run: Run): HeldOut | null | undefined {
  const [held, setHeld] = useState<HeldOut | null | undefined>(undefined);
  const hasFile = run.artifacts.some((file) => file.name === HELD_OUT);
  useEffect(() => {
    if (!hasFile) return setHeld(null);
    const stop = new AbortController();
    getFile<HeldOut>(`/runs/${encodeURIComponent(run.id)}/artifacts/${HELD_OUT}`, stop.signal)
      .then(setHeld, (reason) => { if (reason.name !== "AbortError") setHeld(null); });
    return () => stop.abort();
  }, [run.id, run.state, hasFile]);
  return held;
}

const rowsNote = (rows: number): string => `on ${plural(rows, "held-out row")}`;

function HeldOutFit({ held }: { held: HeldOut }) {
  if (held.classes && held.counts) return <Confusion labels={held.classes} counts={held.counts} note={rowsNote(held.rows)} />;
  if (held.pairs) return <Points points={held.pairs} target={held.target} note={" " + rowsNote(held.rows)} />;
  return held.actual && held.predicted ? <HeldOutSeries held={held} /> : null;
}

function HeldOutSeries({ held }: { held: HeldOut }) {
  const [zoom, setZoom] = useState<Zoom>(null);
  const lines = [
    { name: held.target, values: held.actual!, color: "accent" },
    { name: `predicted ${plural(held.horizon ?? 1, "row")} before`, values: held.predicted!, color: "amber" },
  ];
  return (
    <Card wide title={<>Predicted and true <span class="muted">{rowsNote(held.rows)}, the end of the series</span></>}>
      <Chart x={held.actual!.map((_, i) => i + 1)} xName="held-out row" lines={lines} log={false} smoothing={0} zoom={zoom} onZoom={setZoom} label="Predicted and true values of the held-out rows" height={220} />
    </Card>
  );
}

function Points({ points, target, note }: { points: readonly (readonly [number, number])[]; target: string; note: string }) {
  return (
    <>
      <Card title={<>Predicted against true<span class="muted">{note}</span></>}><Scatter points={points} diagonal xName={`true ${target}`} yName="predicted" label="Predicted against true values" /></Card>
      <Card title={<>Residuals<span class="muted">{note}</span></>}><Scatter points={points.map(([x, y]) => [y, x - y] as const)} xName="predicted" yName="true − predicted" label="Residuals" /></Card>
    </>
  );
}

// From the table itself, which contains the rows that the model was trained on.
function TableFit({ run, showsFit }: { run: Run; showsFit: boolean }) {
  const rows = useLoad<Rows>(`/runs/${encodeURIComponent(run.id)}/rows?limit=400`);
  const [predicted, setPredicted] = useState<(number | string)[] | null>(null);
  const [importance, setImportance] = useState<[string, number][] | null>(null);
  const data = rows.data;
  const truth = data ? data.rows.map((row) => row[data.columns.indexOf(data.target)]) : [];
  const isClass = predicted?.some((value) => typeof value === "string") ?? false;
  useEffect(() => {
    if (!data || data.rows.length === 0) return;
    let isCurrent = true;
    void (async () => {
      const table = toRows(data);
      const base = await predict(run.id, table);
      if (!isCurrent) return;
      setPredicted(base);
      const areClasses = base.some((value) => typeof value === "string");
      const error = errorOf(truth, base, areClasses);
      const found: [string, number][] = [];
      for (const name of columnsRead(run, data.columns, data.target).slice(0, MAX_INPUTS)) {
        // The column moved down by half the table: its values stay plausible,
        // but no longer belong to their rows.
        const moved = table.map((row, i) => ({ ...row, [name]: table[(i + Math.ceil(table.length / 2)) % table.length][name] }));
        const worse = errorOf(truth, await predict(run.id, moved), areClasses);
        if (!isCurrent) return;
        found.push([name, Math.max(0, worse - error)]);
        setImportance([...found].sort((a, b) => b[1] - a[1]));
      }
    })().catch(() => undefined);
    return () => { isCurrent = false; };
  }, [data, run.id, run.state]);
  if (!data || !predicted) return null;
  const note = `on ${data.total > data.rows.length ? `${data.rows.length} of ${plural(data.total, "row")}` : `all ${plural(data.total, "row")}`}, training rows included`;
  return (
    <>
      {showsFit && (isClass ? <TableConfusion truth={truth.map(String)} predicted={predicted.map(String)} note={note} />
        : <Points points={truth.map((value, i) => [Number(value), Number(predicted[i])] as const)} target={data.target} note={" " + note} />)}
      {importance && <Importance rows={importance} isClass={isClass} note={note} />}
    </>
  );
}

function TableConfusion({ truth, predicted, note }: { truth: string[]; predicted: string[]; note: string }) {
  const labels = [...new Set([...truth, ...predicted])].sort();
  const counts = labels.map((t) => labels.map((p) => truth.filter((value, i) => value === t && predicted[i] === p).length));
  return <Confusion labels={labels} counts={counts} note={note} />;
}

const MAX_CLASSES = 20;

function Confusion({ labels, counts, note }: { labels: string[]; counts: number[][]; note: string }) {
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const total = sum(counts.map(sum));
  const right = sum(counts.map((row, i) => row[i]));
  const top = Math.max(1, ...counts.map(sum));
  const shown = labels.slice(0, MAX_CLASSES);
  return (
    <Card title={<>Confusion matrix <span class="muted">{percent(right / Math.max(1, total))} right {note}</span></>}>
      <div class="short" tabIndex={0} role="region" aria-label="Confusion matrix">
        <table class="confusion">
          <thead><tr><th scope="col">true \ predicted</th>{shown.map((label) => <th key={label} scope="col">{label}</th>)}</tr></thead>
          <tbody>
            {shown.map((label, t) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {shown.map((_, p) => {
                  const n = counts[t][p];
                  return <td key={p} class={t === p ? "hit" : n ? "miss" : ""} style={{ "--share": String(n / top) }}>{n || "·"}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Importance({ rows, isClass, note }: { rows: [string, number][]; isClass: boolean; note: string }) {
  const top = Math.max(...rows.map(([, value]) => value), 1e-12);
  return (
    <Card title={<>Importance of inputs <span class="muted">how much worse without it, {note}</span></>}>
      <table class="bars">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <td class="clip">{name}</td>
              <td class="bar-cell"><i class="solid" style={{ width: (value / top) * 100 + "%" }} /></td>
              <td class="number">{isClass ? "+" + percent(value) + " errors" : "+" + number(value, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
