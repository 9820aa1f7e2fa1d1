// How well a model fits the table it came from: the confusion matrix of
// classes, or predicted against true, and how much each input matters.
import { useEffect, useState } from "preact/hooks";
import { post } from "../api";
import { number, percent } from "../format";
import { useLoad } from "../load";
import { Card } from "../parts/basics";
import { Scatter } from "../parts/scatter";
import type { Run } from "../types";
import type { Predictions } from "./predict_form";

// A sample of the table of a run.
export interface Rows { columns: string[]; target: string; rows: (number | string | null)[][]; total: number }

type Row = Record<string, number | string | null>;

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

export function Fit({ run }: { run: Run }) {
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
      for (const name of Object.keys(table[0]).slice(0, 30)) {
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
  const note = data.total > data.rows.length ? `, ${data.rows.length} of ${data.total} rows` : "";
  const points = truth.map((value, i) => [Number(value), Number(predicted[i])] as const);
  return (
    <>
      {isClass ? <Confusion truth={truth.map(String)} predicted={predicted.map(String)} note={note} /> : (
        <>
          <Card title={<>Predicted against true<span class="muted">{note}</span></>}><Scatter points={points} diagonal xName={`true ${data.target}`} yName="predicted" label="Predicted against true values" /></Card>
          <Card title={<>Residuals<span class="muted">{note}</span></>}><Scatter points={points.map(([x, y]) => [y, x - y] as const)} xName="predicted" yName="true − predicted" label="Residuals" /></Card>
        </>
      )}
      {importance && <Importance rows={importance} isClass={isClass} />}
    </>
  );
}

function Confusion({ truth, predicted, note }: { truth: string[]; predicted: string[]; note: string }) {
  const labels = [...new Set([...truth, ...predicted])].sort().slice(0, 20);
  const countOf = (t: string, p: string) => truth.filter((value, i) => value === t && predicted[i] === p).length;
  const right = truth.filter((value, i) => value === predicted[i]).length;
  const top = Math.max(1, ...labels.map((label) => truth.filter((value) => value === label).length));
  return (
    <Card title={<>Confusion matrix <span class="muted">{percent(right / truth.length)} right{note}</span></>}>
      <div class="short" tabIndex={0} role="region" aria-label="Confusion matrix">
        <table class="confusion">
          <thead><tr><th scope="col">true \ predicted</th>{labels.map((label) => <th key={label} scope="col">{label}</th>)}</tr></thead>
          <tbody>
            {labels.map((t) => (
              <tr key={t}>
                <th scope="row">{t}</th>
                {labels.map((p) => {
                  const n = countOf(t, p);
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

function Importance({ rows, isClass }: { rows: [string, number][]; isClass: boolean }) {
  const top = Math.max(...rows.map(([, value]) => value), 1e-12);
  return (
    <Card title={<>Importance of inputs <span class="muted">how much worse without it</span></>}>
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
