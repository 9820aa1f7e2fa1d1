// The next values of a series: from the last rows of the table, or from rows
// that a person pastes.
import { useEffect, useMemo, useState } from "preact/hooks";
import { post } from "../api";
import { number, plural } from "../format";
import { useLoad } from "../load";
import { Card, useAction } from "../parts/basics";
import { Chart, type Line, type Zoom } from "../parts/chart";
import type { Run, Values } from "../types";
import type { Rows } from "./fit";
import type { Predictions } from "./predict_form";

const MAX_ROWS = 400;
const NEAR_ROWS = 80; // In the chart, unless a person zooms.
const SHOWN_ROWS = 40; // In the field; the network also reads the rows before.

type Cell = number | string | null;
interface Past { columns: string[]; rows: Cell[][] }

export const isSeries = (run: Run): boolean => run.options?.series === true || run.result?.kind === "series";
export const horizonOf = (run: Run): number => Number(run.result?.horizon ?? run.options?.horizon ?? 1) || 1;

const cellText = (value: Cell): string => {
  const text = value === null ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvText = ({ columns, rows }: Past): string => [columns, ...rows].map((row) => row.map(cellText).join(",")).join("\n");

// Cells in quotes may contain separators; lines end a row in any case.
export function parseRows(text: string): Past {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const separator = ["\t", ";", ","].find((each) => lines[0]?.includes(each)) ?? ",";
  const cells = (line: string): string[] => {
    const found = [""];
    let isQuoted = false;
    for (const c of line) {
      if (c === '"') isQuoted = !isQuoted;
      else if (c === separator && !isQuoted) found.push("");
      else found[found.length - 1] += c;
    }
    return found.map((each) => each.trim());
  };
  const [columns = [], ...rest] = lines.map(cells);
  const value = (cell: string): Cell => (cell === "" ? null : Number.isFinite(Number(cell)) ? Number(cell) : cell);
  const bad = rest.findIndex((row) => row.length !== columns.length);
  if (bad >= 0) throw new Error(`Row ${bad + 1} has ${plural(rest[bad].length, "cell")}, and the first line names ${plural(columns.length, "column")}.`);
  if (rest.length === 0) throw new Error("Rows are missing: the first line names the columns, and each further line is a step in time.");
  return { columns, rows: rest.map((row) => row.map(value)) };
}

export function Forecast({ run }: { run: Run }) {
  const last = useLoad<Rows>(`/runs/${encodeURIComponent(run.id)}/rows?last=true&limit=${MAX_ROWS}`);
  const [past, setPast] = useState<Past & { first: number } | null>(null);
  const [ahead, setAhead] = useState<Values>([]);
  const [text, setText] = useState<string | null>(null);
  const { run: act, busy, failure } = useAction();
  const data = last.data;
  const target = data?.target ?? "";
  const predict = (rows: Past, first: number) => act(async () => {
    if (!rows.columns.includes(target)) throw new Error(`The rows need a column ${target}, because the network reads its past.`);
    const objects = rows.rows.map((row) => Object.fromEntries(rows.columns.map((name, i) => [name, row[i]])));
    const reply = await post<Predictions>(`/runs/${encodeURIComponent(run.id)}/predict`, { rows: objects });
    setPast({ ...rows, first });
    setAhead(reply.predictions.map((each) => (typeof each.value === "number" ? each.value : null)));
  });
  useEffect(() => { if (data) void predict(data, data.total - data.rows.length); }, [data, run.state]);
  if (!data) return last.failure ? <Card wide title="Forecast"><p class="muted">{last.failure.message}</p></Card> : null;
  const shown = text ?? csvText({ columns: data.columns, rows: data.rows.slice(-SHOWN_ROWS) });
  const isOwn = text !== null;
  const use = (event: Event) => {
    event.preventDefault();
    void act(async () => {
      // The unchanged field stands for all the rows that it is the end of.
      if (!isOwn) return void (await predict(data, data.total - data.rows.length));
      await predict(parseRows(shown), 0);
    });
  };
  const read = async (file: File | undefined) => { if (file) setText((await file.text()).trimEnd()); };
  return (
    <Card wide title={<>Forecast of {target} <span class="muted">{plural(horizonOf(run), "row")} ahead</span></>}>
      {past && <ForecastChart key={past.first} past={past} ahead={ahead} target={target} horizon={horizonOf(run)} />}
      <form class="predict" onSubmit={use}>
        <details>
          <summary>Past rows {isOwn ? "of your own" : `from the end of the table of this run, ${plural(data.rows.length, "row")}`}</summary>
          <div class="predict">
            <label>One row per step in time; the first line names the columns. More rows give the network more to remember.
              <textarea class="mono" rows={8} spellcheck={false} value={shown} onInput={(event) => setText(event.currentTarget.value)} />
            </label>
            <div class="row">
              <button type="submit" class="primary" disabled={busy}>Predict {target}</button>
              <label class="inline">or read a CSV file <input type="file" accept=".csv,.tsv,.txt,text/csv" onChange={(event) => void read(event.currentTarget.files?.[0])} /></label>
              {isOwn && <button type="button" class="small" onClick={() => { setText(null); void predict(data, data.total - data.rows.length); }}>Use the rows of the run again</button>}
            </div>
          </div>
        </details>
        {failure && <p class="failure" role="alert">{failure}</p>}
      </form>
    </Card>
  );
}

// A prediction belongs to the row `horizon` rows after the one it was made at;
// those beyond the last row are the forecast.
function ForecastChart({ past, ahead, target, horizon }: { past: Past & { first: number }; ahead: Values; target: string; horizon: number }) {
  const count = past.rows.length;
  const [zoom, setZoom] = useState<Zoom>(count > NEAR_ROWS ? [past.first + count - NEAR_ROWS, past.first + count + horizon] : null);
  const { x, lines, next } = useMemo(() => {
    const column = past.columns.indexOf(target);
    const known = past.rows.map((row) => (typeof row[column] === "number" ? (row[column] as number) : null));
    const predicted: Values = Array.from({ length: count + horizon }, (_, i) => (i < horizon ? null : ahead[i - horizon] ?? null));
    const future = predicted.map((value, i) => (i >= count ? value : i === count - 1 ? known[i] : null));
    const list: Line[] = [
      { name: target, values: [...known, ...new Array<null>(horizon).fill(null)], color: "accent" },
      { name: "predicted", values: predicted.map((value, i) => (i < count ? value : null)), color: "amber" },
      { name: "forecast", values: future, color: "violet" },
    ];
    return { x: predicted.map((_, i) => past.first + i + 1), lines: list, next: future.slice(count) };
  }, [past, ahead, target, horizon]);
  const last = past.first + past.rows.length;
  return (
    <>
      <p class="answer">{next.map((value, i) => <span key={i}><span class="muted tiny">row {last + i + 1}</span> <b>{number(value, 6)}</b></span>)}</p>
      <Chart x={x} xName="row" lines={lines} log={false} smoothing={0} zoom={zoom} onZoom={setZoom} marker={last} label={`${target}, predictions and forecast`} height={240} />
    </>
  );
}
