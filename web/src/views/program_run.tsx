// What the evolution of a program shows: its source, islands and ancestors.
import { number } from "../format";
import { Card, CopyButton } from "../parts/basics";
import type { Run, RunState } from "../types";
import { Candidates } from "./candidates";

export function ProgramRun({ run, state, newest }: { run: Run; state: RunState | null; newest: number }) {
  if (!state) return null;
  return (
    <>
      <Card wide title="The best program" tools={state.source && <CopyButton text={state.source}>Copy</CopyButton>}>
        {state.source ? <pre>{state.source}</pre> : <p class="muted">The first program appears after the first evaluation.</p>}
      </Card>
      {(state.islands ?? []).length > 0 && (
        <Card title="Islands">
          <table><thead><tr><th>Island</th><th class="number">Best score</th></tr></thead>
            <tbody>{state.islands!.map((value, i) => <tr key={i}><td>{i + 1}</td><td class="number">{number(value)}</td></tr>)}</tbody></table>
        </Card>
      )}
      {(state.lineage ?? []).length > 0 && (
        <Card title="Lineage">
          <table><thead><tr><th>Program</th><th>Engine</th><th class="number">Score</th></tr></thead>
            <tbody>{state.lineage!.map((each, i) => <tr key={i}><td>{each.id ?? i}</td><td>{each.engine}</td><td class="number">{number(each.score ?? null)}</td></tr>)}</tbody></table>
        </Card>
      )}
      <Candidates run={run} newest={newest} />
    </>
  );
}
