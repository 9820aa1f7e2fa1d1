// Tries a model on one row that a person types.
import { useState } from "preact/hooks";
import { post } from "../api";
import { number, percent } from "../format";
import { useLoad } from "../load";
import { Card, useAction } from "../parts/basics";
import type { Run } from "../types";
import { columnsRead, type Rows } from "./fit";

type Prediction = Record<string, unknown>;
export interface Predictions { predictions: Prediction[]; target?: string }

// `inputs` are the columns that the model reads.
export function PredictForm({ run, inputs: read }: { run: Run; inputs?: string[] }) {
  const rows = useLoad<Rows>(`/runs/${encodeURIComponent(run.id)}/rows?limit=400`);
  const [values, setValues] = useState<Record<string, string>>({});
  const [answer, setAnswer] = useState<Prediction | null>(null);
  const { run: act, busy, failure } = useAction();
  if (!rows.data) return null;
  const { columns, target, rows: data } = rows.data;
  const inputs = read ?? columnsRead(run, columns, target);
  // The middle of the table is a sensible start.
  const sample = data[Math.floor(data.length / 2)] ?? [];
  const valueOf = (name: string) => values[name] ?? String(sample[columns.indexOf(name)] ?? "");
  const predict = (event: Event) => {
    event.preventDefault();
    const row: Record<string, unknown> = Object.fromEntries(inputs.map((name) => {
      const text = valueOf(name);
      return [name, text !== "" && Number.isFinite(Number(text)) ? Number(text) : text];
    }));
    // A row without cells would not be a row.
    if (inputs.length === 0) row[columns[0]] = sample[0];
    setAnswer(null);
    void act(async () => {
      const reply = await post<Predictions>(`/runs/${encodeURIComponent(run.id)}/predict`, { rows: [row] });
      setAnswer(reply.predictions[0] ?? null);
    });
  };
  return (
    <Card title="Try a prediction">
      <form class="predict" onSubmit={predict}>
        {inputs.length === 0 && <p class="muted">The law is a constant: it needs no input.</p>}
        <div class="fields">
          {inputs.map((name) => (
            <label key={name}><span class="clip" title={name}>{name}</span>
              <input value={valueOf(name)} onInput={(event) => {
                setValues({ ...values, [name]: event.currentTarget.value });
                setAnswer(null);
              }} />
            </label>
          ))}
        </div>
        <div class="row">
          <button type="submit" class="primary" disabled={busy}>Predict {target}</button>
          {answer && <Answer prediction={answer} />}
        </div>
        {failure && <p class="failure" role="alert">{failure}</p>}
      </form>
    </Card>
  );
}

const CHANCE = "probability_";

// The value, and the chances of the classes if there are any.
function Answer({ prediction }: { prediction: Prediction }) {
  const value = prediction.value ?? prediction.prediction;
  const chances = Object.entries(prediction).filter(([name, each]) => name.startsWith(CHANCE) && typeof each === "number") as [string, number][];
  return (
    <output class="answer">
      <b>{typeof value === "number" ? number(value, 6) : value === null || value === undefined ? "no value for this row" : String(value)}</b>
      {chances.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, chance]) => <span key={name} class="muted tiny">{name.slice(CHANCE.length)} {percent(chance)}</span>)}
    </output>
  );
}
