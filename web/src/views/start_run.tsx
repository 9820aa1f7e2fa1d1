// Starts a run from a table: drop a CSV file, check what was guessed, go.
import { useRef, useState } from "preact/hooks";
import { post, queryText, upload } from "../api";
import { bytes, count, number, plural } from "../format";
import { Choice, useAction } from "../parts/basics";
import { open } from "../router";
import type { Run, Upload } from "../types";

const COMMANDS = [["net", "A network"], ["fn", "A law"]] as const;
const HORIZONS = [1, 2, 3, 5, 10];
const BUDGETS = ["10s", "30s", "2m", "10m"];
const TASKS: Record<string, string> = {
  classify: "classes to tell apart", regress: "a number to predict", series: "the next values of a series",
};

export function StartRun() {
  const [table, setTable] = useState<Upload | null>(null);
  const [isOver, setOver] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { run, busy, failure } = useAction();
  const take = (file: File | null | undefined) => {
    if (!file) return;
    void run(async () => setTable(await upload<Upload>("/uploads" + queryText({ name: file.name }), file, "text/csv")));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer?.files[0]);
  };
  if (table) return <Settings table={table} close={() => setTable(null)} />;
  return (
    <div class={"drop" + (isOver ? " over" : "")} onDrop={drop} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path class="line" d="M12 15V4m0 0L7.5 8.5M12 4l4.5 4.5M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3" /></svg>
      <div>
        <b>{busy ? "Reading the table" : "Drop a CSV file to evolve a model for it"}</b>
        <p class="muted tiny">A network that predicts a column, or a formula that explains it. The file stays on this server.</p>
        {failure && <p class="failure" role="alert">{failure}</p>}
      </div>
      <button type="button" disabled={busy} onClick={() => field.current?.click()}>Choose a file</button>
      <input ref={field} type="file" accept=".csv,.tsv,.txt,text/csv" hidden aria-label="CSV file"
        onChange={(event) => { take(event.currentTarget.files?.[0]); event.currentTarget.value = ""; }} />
    </div>
  );
}

function Settings({ table, close }: { table: Upload; close: () => void }) {
  const [target, setTarget] = useState(table.guess.target);
  const [command, setCommand] = useState(table.guess.command);
  const [budget, setBudget] = useState("30s");
  const [wantsSeries, setSeries] = useState(table.guess.task === "series");
  const [horizon, setHorizon] = useState(1);
  const { run, busy, failure } = useAction();
  const column = table.columns.find((each) => each.name === target);
  const isText = column?.type === "text";
  const isSeries = wantsSeries && command === "net" && !isText;
  const time = table.guess.time;
  // The time only orders the rows: outside the known range it says nothing.
  const series = isSeries ? { series: true, horizon, ...(time && time !== target ? { ignore: time } : {}) } : {};
  const start = () =>
    run(async () => {
      const started = await post<Run>("/runs", { kind: command, options: { data: table.id, target, budget, ...series } });
      open("/runs/" + encodeURIComponent(started.id));
    });
  return (
    <section class="card start">
      <header>
        <h2>{table.name} <span class="muted">{count(table.rows)} rows, {plural(table.columns.length, "column")}{table.bytes ? `, ${bytes(table.bytes)}` : ""}</span></h2>
        <button type="button" class="small" onClick={close}>Choose another file</button>
      </header>
      <div class="columns" tabIndex={0} role="region" aria-label="Columns of the table">
        <table>
          <thead><tr><th>Target</th><th>Column</th><th>Type</th><th class="number">Distinct</th><th class="number">Missing</th><th>Values</th></tr></thead>
          <tbody>
            {table.columns.map((each) => (
              <tr key={each.name} class={each.name === target ? "chosen" : ""}>
                <td><input type="radio" name="target" aria-label={`Predict ${each.name}`} checked={each.name === target} onChange={() => setTarget(each.name)} /></td>
                <td><b>{each.name}</b>{each.name === table.guess.target && <span class="muted tiny"> guessed</span>}</td>
                <td>{each.type}</td>
                <td class="number">{count(each.distinct)}</td>
                <td class="number">{each.missing ? count(each.missing) : "–"}</td>
                <td class="muted mono clip samples">{each.type === "number" && each.min != null ? `${number(each.min)} … ${number(each.max)}` : [...new Set(each.samples)].join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="row start-row">
        <Choice label="Evolve" value={command} options={COMMANDS} choose={setCommand} />
        <label class="inline">for <select value={budget} onChange={(event) => setBudget(event.currentTarget.value)}>
          {BUDGETS.map((each) => <option key={each} value={each}>{each.replace("s", " seconds").replace("m", " minutes")}</option>)}
        </select></label>
        {command === "net" && !isText && (
          <label class="inline"><input type="checkbox" checked={wantsSeries} onChange={(event) => setSeries(event.currentTarget.checked)} /> Rows are steps in time</label>
        )}
        {isSeries && (
          <label class="inline">predict <select value={horizon} onChange={(event) => setHorizon(Number(event.currentTarget.value))}>
            {HORIZONS.map((each) => <option key={each} value={each}>{plural(each, "row")}</option>)}
          </select> ahead</label>
        )}
        <span class="muted tiny">“{target}”: {TASKS[isSeries ? "series" : isText || (target === table.guess.target && table.guess.task === "classify") ? "classify" : "regress"]}</span>
        <button type="button" class="primary end" disabled={busy || !target || (command === "fn" && isText)} onClick={start}>{busy ? "Starting" : "Start"}</button>
      </div>
      {command === "fn" && isText && <p class="muted tiny">A law needs a column of numbers as its target; choose one, or evolve a network.</p>}
      {isSeries && time && time !== target && <p class="muted tiny">“{time}” only gives the order of the rows, so the network does not read it. It reads the past of the other columns, with that of “{target}”.</p>}
      {failure && <p class="failure" role="alert">{failure}</p>}
    </section>
  );
}
