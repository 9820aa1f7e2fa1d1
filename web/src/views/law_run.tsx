// What a law search shows: the front, the chosen law, how it fits, where it
// comes from, and the islands.
import { ROUNDING, errorText, words } from "../format";
import { useLoad } from "../load";
import { queryText } from "../api";
import { Card, CopyButton, Fact } from "../parts/basics";
import { Formula } from "../parts/formula";
import { Pareto } from "../parts/pareto";
import { Scatter } from "../parts/scatter";
import { change, param } from "../router";
import type { Ancestor, Law, Run, RunState, Values } from "../types";
import { Candidates } from "./candidates";
import { PredictForm } from "./predict_form";

export function LawRun({ run, state, newest }: { run: Run; state: RunState | null; newest: number }) {
  if (!state) return null;
  const front = onePerSize(state.front ?? []);
  if (front.length === 0) return <Card wide title="Laws"><p class="muted">The first formulas appear after the first evaluations.</p></Card>;
  // The address names a law by its size, which stays while the front improves.
  const size = Number(param("law"));
  const bySize = front.findIndex((law) => law.size === size);
  const best = front.findIndex((law) => law.chosen);
  const index = bySize >= 0 ? bySize : best >= 0 ? best : front.length - 1;
  const law = front[index];
  return (
    <>
      <Card wide title={<>The law <span class="muted">size {law.size}, NMSE {errorText(law.nmse)}</span></>} tools={
        <>
          {law.python && <CopyButton text={law.python}>Copy Python</CopyButton>}
          {law.latex && <CopyButton text={law.latex}>Copy LaTeX</CopyButton>}
          {law.cpp && <CopyButton text={law.cpp}>Copy C++</CopyButton>}
        </>
      }>
        <div class="law">
          <Formula tree={law.mathml} text={law.formula} />
        </div>
      </Card>
      <Card title="Size against error">
        <Pareto front={front} chosen={index} choose={(next) => change({ law: front[next].size })} />
        <p class="tiny muted">Choose a point to see its formula. The ring marks the law that the run recommends.</p>
      </Card>
      <Fit run={run} law={law} at={state.seq < newest ? state.seq : 0} target={state.target ?? "y"} />
      <Front front={front} chosen={index} />
      <Islands islands={state.islands ?? []} />
      <Lineage lineage={state.lineage ?? []} />
      <Candidates run={run} newest={newest} />
      {run.can_predict && best >= 0 && <PredictForm run={run} inputs={columnsOf(run, front[best])} />}
    </>
  );
}

// A law names columns by identifiers; the table has the names of the result.
function columnsOf(run: Run, law: Law): string[] | undefined {
  const names = run.result?.columns as Record<string, string> | undefined;
  return law.inputs?.map((name) => names?.[name] ?? name);
}

// Two laws of one size, of which one has fewer constants, would hide each other.
function onePerSize(front: Law[]): Law[] {
  const kept = new Map<number, Law>();
  for (const law of front) if (law.chosen || !kept.has(law.size)) kept.set(law.size, law);
  return [...kept.values()];
}

interface LawFit { truth: Values; predicted: Values; total: number }

function Fit({ run, law, at, target }: { run: Run; law: Law; at: number; target: string }) {
  const fit = useLoad<LawFit>(`/runs/${encodeURIComponent(run.id)}/fit` + queryText({ size: law.chosen ? null : law.size, at: at || null }));
  if (fit.failure) return <Card title="Predicted against true"><p class="muted">{fit.failure.message}</p></Card>;
  if (!fit.data) return <Card title="Predicted against true"><p class="muted">Computing.</p></Card>;
  const { truth, predicted, total } = fit.data;
  const points = truth.map((value, i) => [value ?? NaN, predicted[i] ?? NaN] as const);
  const note = total > truth.length ? `, ${truth.length} of ${total} rows` : "";
  return (
    <>
      <Card title={<>Predicted against true<span class="muted">{note}</span></>}><Scatter points={points} diagonal xName={`true ${target}`} yName="predicted" label="Predicted against true values" /></Card>
      <Card title={<>Residuals<span class="muted">{note}</span></>}><Scatter points={points.map(([x, y]) => [y, x - y] as const)} xName="predicted" yName="true − predicted" label="Residuals" /></Card>
    </>
  );
}

function Front({ front, chosen }: { front: Law[]; chosen: number }) {
  return (
    <Card title="All laws of the front">
      <div class="short" tabIndex={0} role="region" aria-label="Laws">
        <table>
          <thead><tr><th class="number">Size</th><th class="number">NMSE</th><th>Formula</th></tr></thead>
          <tbody>
            {front.map((law, i) => (
              <tr key={i} class={i === chosen ? "chosen" : ""}>
                <td class="number"><button type="button" class="small" aria-pressed={i === chosen} onClick={() => change({ law: law.size })}>{law.size}</button></td>
                <td class="number">{errorText(law.nmse)}</td>
                <td><code>{law.formula}</code></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Islands({ islands }: { islands: Values }) {
  if (islands.length === 0) return null;
  const logOf = (value: number) => Math.log10(Math.max(value, ROUNDING));
  const logs = islands.filter((value): value is number => value !== null).map(logOf);
  const [low, high] = [Math.min(...logs, 0), Math.max(...logs, -12)];
  const share = (value: number | null) => (value === null ? 0 : 0.06 + 0.94 * ((logOf(value) - low) / (high - low || 1)));
  return (
    <Card title={<>Islands <span class="muted">best error of each</span></>}>
      <table class="bars">
        <tbody>
          {islands.map((value, i) => (
            <tr key={i}><td>{i + 1}</td><td class="bar-cell"><i class="solid" style={{ width: share(value) * 100 + "%" }} /></td><td class="number">{errorText(value)}</td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Lineage({ lineage }: { lineage: Ancestor[] }) {
  if (lineage.length === 0) return null;
  return (
    <Card title="Lineage of the law">
      <ol class="lineage" tabIndex={0} aria-label="Lineage of the law">
        {lineage.map((each, i) => (
          <li key={i}>
            <dl class="facts tiny">
              {each.move && <Fact name="Made by">{words(each.move)}</Fact>}
              {each.engine && <Fact name="Engine">{each.engine}</Fact>}
              {each.nmse !== undefined && <Fact name="NMSE">{errorText(each.nmse)}</Fact>}
              {each.size !== undefined && <Fact name="Size">{each.size}</Fact>}
            </dl>
            {each.formula && <code>{each.formula}</code>}
          </li>
        ))}
      </ol>
    </Card>
  );
}
