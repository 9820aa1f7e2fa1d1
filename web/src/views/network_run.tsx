// What a network run shows: the network as it grows, every mutation, how well
// it predicts, and a form to try it.
import { number, percent, plural, words } from "../format";
import { Card } from "../parts/basics";
import { NetworkPicture } from "../parts/network_picture";
import type { Mutation, MutationCounts, Run, RunState } from "../types";
import { Fit } from "./fit";
import { Forecast, isSeries } from "./forecast";
import { PredictForm } from "./predict_form";

export function NetworkRun({ run, state, newest }: { run: Run; state: RunState | null; newest: number }) {
  if (!state) return null;
  const isNow = state.seq >= newest;
  return (
    <>
      <Card wide title={<>The network <span class="muted">{networkSize(state)}</span></>} tools={state.mutation && <LastMutation state={state} />}>
        {state.network && state.network.nodes.length > 0
          ? <NetworkPicture network={state.network} seq={state.network_seq ?? state.seq} />
          : <p class="muted">The first network appears with the first generation.</p>}
        <EnsembleNote run={run} isDrawn={!!state.is_ensemble} />
      </Card>
      <MutationList list={state.mutations ?? []} generation={state.generation} />
      <MutationStatistics counts={state.counts ?? {}} />
      {run.can_predict && isNow && <Fit run={run} />}
      {run.can_predict && (isSeries(run) ? <Forecast run={run} /> : <PredictForm run={run} />)}
    </>
  );
}

interface Ensemble { members: number; folds: number; designs: number; single_test_score: number | null }

// The result may be several networks, joined to one; until then the picture
// shows the best single one.
function EnsembleNote({ run, isDrawn }: { run: Run; isDrawn: boolean }) {
  const ensemble = run.result?.ensemble as Ensemble | undefined;
  if (!ensemble || ensemble.members < 2) return null;
  return (
    <p class="tiny muted note">
      {isDrawn ? "This is the result: an ensemble of" : "This is the best single network at that time. The result of the run is an ensemble of"} {plural(ensemble.members, "network")}, joined to one network ({plural(ensemble.designs, "design")} compared in {plural(ensemble.folds, "fold")}).
      {" "}{isDrawn && "Go back in time to see the network that grew. "}{ensemble.single_test_score != null && <>Alone, the best single network scores {number(ensemble.single_test_score)} on the held-out rows.</>}
    </p>
  );
}

function networkSize({ network }: RunState): string {
  if (!network) return "";
  const hidden = network.nodes.filter((node) => node.kind === "hidden").length;
  return `${plural(hidden, "hidden node")}, ${plural(network.edges_total ?? network.edges.length, "edge")}`;
}

function LastMutation({ state }: { state: RunState }) {
  return (
    <span class="row tiny">
      <span class="muted">Last mutation</span> <b>{words(state.mutation ?? "")}</b>
      <Verdict kept={!!state.kept} />
    </span>
  );
}

function Verdict({ kept }: { kept: boolean }) {
  return <span class={"verdict " + (kept ? "kept" : "rolled")}>{kept ? "kept" : "rolled back"}</span>;
}

function verdictClass({ loss_before, loss_after }: Mutation): string {
  if (loss_before == null || loss_after == null || loss_after === loss_before) return "";
  return loss_after < loss_before ? " good" : " bad";
}

const MAX_LISTED = 64;

function MutationList({ list, generation }: { list: Mutation[]; generation: number | null }) {
  const hasIslands = list.some((each) => each.island !== list[0].island);
  return (
    <Card title={<>Mutations {generation !== null && <span class="muted">up to generation {generation}</span>}</>}>
      {list.length === 0 ? <p class="muted">No mutation was tried yet.</p> : (
        <div class="short" tabIndex={0} role="region" aria-label="Mutations">
          <table class="mutation-table">
            <thead><tr><th>Mutation</th><th>Result</th><th class="number">Loss before</th><th class="number">Loss after</th></tr></thead>
            <tbody>
              {[...list].reverse().slice(0, MAX_LISTED).map((each, i) => (
                <tr key={i}>
                  <td>{words(each.mutation)}{hasIslands && <span class="muted tiny"> island {each.island}</span>}</td>
                  <td><Verdict kept={each.kept} /></td>
                  <td class="number">{number(each.loss_before)}</td>
                  <td class={"number" + verdictClass(each)}>{number(each.loss_after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.length > 0 && (
        <p class="tiny muted note">Losses are on the validation rows, and belong to the network that was mutated: any of the population, not only the best one above.
          {" "}A larger network becomes the best one only if its lower loss is more than chance.</p>
      )}
    </Card>
  );
}

function MutationStatistics({ counts }: { counts: MutationCounts }) {
  const rows = Object.entries(counts).sort((a, b) => b[1].tried - a[1].tried);
  if (rows.length === 0) return null;
  const top = Math.max(...rows.map(([, each]) => each.tried), 1);
  return (
    <Card title="Mutation statistics">
      <table class="bars">
        <thead><tr><th>Mutation</th><th><span class="unseen">Share</span></th><th class="number">Kept</th><th class="number">Tried</th><th class="number">Rate</th></tr></thead>
        <tbody>
          {rows.map(([name, { tried, kept }]) => (
            <tr key={name}>
              <td>{words(name)}</td>
              <td class="bar-cell"><i style={{ width: (tried / top) * 100 + "%" }}><b style={{ width: tried ? (kept / tried) * 100 + "%" : "0" }} /></i></td>
              <td class="number">{kept}</td><td class="number">{tried}</td><td class="number">{tried ? percent(kept / tried) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
