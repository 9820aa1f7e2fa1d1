// The score of a run over generations, evaluations, seconds or tokens.
import { useMemo } from "preact/hooks";
import { Card, Choice } from "../parts/basics";
import { Chart, type Line, type Zoom } from "../parts/chart";
import { ROUNDING, errorText, words } from "../format";
import { change, param } from "../router";
import type { Curve, Law, Run, Values } from "../types";

type Axis = "generation" | "evaluations" | "seconds" | "tokens";
const AXES = [["generation", "Generation"], ["evaluations", "Evaluations"], ["seconds", "Seconds"], ["tokens", "Tokens"]] as const;

// Scores of at most 1.
const BOUNDED = new Set(["accuracy", "r2"]);

const isKnown = (values: Values | undefined): values is Values => !!values && values.some((value) => value !== null);

// The zoom of the address: "zoom=12,40".
export function zoomParam(): Zoom {
  const [from, to] = param("zoom").split(",").map(Number);
  return Number.isFinite(from) && Number.isFinite(to) && to > from ? [from, to] : null;
}
export const setZoom = (zoom: Zoom): void => change({ zoom: zoom ? zoom.map((v) => Number(v.toPrecision(6))).join(",") : null });

export function ScoreChart({ run, curve, at, laws }: { run: Run; curve: Curve; at: number; laws?: Law[] }) {
  // Without a language model, every point has 0 tokens.
  const axes = AXES.filter(([name]) => (name === "tokens" ? curve.x.tokens?.some((value) => value) : isKnown(curve.x[name])));
  const axis = (axes.find(([name]) => name === param("x")) ?? axes[0])?.[0] as Axis | undefined;
  const hasLoss = isKnown(curve.loss) && curve.loss.some((value, i) => value !== curve.score[i]);
  // A score that never changes tells less than the loss.
  const isFlat = curve.score.every((value) => value === null || value === curve.score[curve.score.length - 1]);
  const what = hasLoss && (param("y") || (isFlat ? "loss" : "score")) === "loss" ? "loss" : "score";
  const isLog = param("log") ? param("log") === "1" : run.kind === "fn";
  const smoothing = Math.min(0.99, Math.max(0, Number(param("smooth")) || 0));
  const lines = useMemo<Line[]>(() => {
    if (what === "loss") return [{ name: "loss", values: curve.loss, color: "violet" }];
    const list: Line[] = [{ name: words(run.score_name || "score"), values: curve.score, color: "accent" }];
    if (isKnown(curve.mean)) list.push({ name: "mean", values: curve.mean, color: "blue" });
    return list;
  }, [curve, what, run.score_name]);
  if (!axis) return null;
  const place = at ? curve.seq.findIndex((seq) => seq >= at) : -1;
  return (
    <Card wide title={<>{what === "loss" ? "Loss over time" : `${words(run.score_name || "score")} over time`} <span class="muted">{whose(run)}</span></>} tools={
      <>
        {hasLoss && <Choice label="Show" value={what} options={[["score", "Score"], ["loss", "Loss"]] as const} choose={(y) => change({ y })} />}
        {axes.length > 1 && <Choice label="Over" value={axis} options={axes} choose={(x) => change({ x, zoom: null })} />}
        <button type="button" class="small" aria-pressed={isLog} onClick={() => change({ log: isLog ? "0" : "1" })}>Log</button>
        <label class="inline tiny">Smooth <input type="range" min="0" max="0.98" step="0.02" value={smoothing} onInput={(event) => change({ smooth: Number(event.currentTarget.value) || null })} /></label>
      </>
    }>
      <Chart x={curve.x[axis] ?? []} xName={axis} lines={lines} log={isLog} least={run.kind === "fn" ? ROUNDING : undefined} most={what === "score" && BOUNDED.has(run.score_name) ? 1 : undefined} smoothing={smoothing} zoom={zoomParam()} onZoom={setZoom}
        onPick={(index) => change({ at: curve.seq[index] }, true)} marker={place >= 0 ? curve.x[axis]?.[place] ?? null : null}
        label={`${what} over ${axis}`} />
      {laws && <LawNote laws={laws} last={curve.score.filter((value) => value !== null).at(-1) ?? null} isLog={isLog} />}
    </Card>
  );
}

// Which rows, or which result, the values belong to.
function whose(run: Run): string {
  if (run.kind === "fn") return "of the most accurate law";
  return run.kind === "net" ? "on the validation rows" : "";
}

// Why the curve and the law of the run end at different errors.
function LawNote({ laws, last, isLog }: { laws: Law[]; last: number | null; isLog: boolean }) {
  const chosen = laws.find((law) => law.chosen);
  if (!chosen || last === null) return null;
  const best = laws.reduce((a, b) => ((b.nmse ?? Infinity) < (a.nmse ?? Infinity) ? b : a));
  return (
    <p class="tiny muted note">
      {best.size !== chosen.size && (chosen.nmse ?? 0) > last && <>The curve ends at the error of the most accurate law, of size {best.size}.
        {" "}The run recommends the law of size {chosen.size} with NMSE {errorText(chosen.nmse)}: the longer ones gain too little for their size. </>}
      {last < ROUNDING && <>The law is exact: what is left of the error is rounding{isLog && <>, drawn at {ROUNDING}</>}.</>}
    </p>
  );
}
