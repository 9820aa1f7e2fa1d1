// The formulas or programs that a run tried: each with its score or why it
// failed, its difference to its parent, the prompt and the reply.
import { useEffect, useState } from "preact/hooks";
import { get, queryText } from "../api";
import { unified } from "../difference";
import { count, errorText, number, plural, words } from "../format";
import { useLoad } from "../load";
import { Card, Choice, CopyButton, Fact } from "../parts/basics";
import { change, param } from "../router";
import type { Candidate, CandidateDetail, Run } from "../types";

const FILTERS = [["", "Evaluated"], ["improved", "Improved"], ["model", "By a model"], ["failed", "Failed"], ["all", "All trials"]] as const;
type Filter = (typeof FILTERS)[number][0];
// "all" is what the server lists without a filter.
const onlyOf = (filter: Filter): string | null => (filter === "all" ? null : filter || "evaluated");
// The score of a formula is the negative of its error.
const scoreOf = (run: Run, score: number | null | undefined): string =>
  run.kind === "fn" ? errorText(score == null ? score : Math.abs(score)) : number(score);
const scoreName = (run: Run): string => (run.kind === "fn" ? "NMSE" : "Score");
interface Page { candidates: Candidate[]; next: number | null }

export function Candidates({ run, newest }: { run: Run; newest: number }) {
  const only = (FILTERS.find(([value]) => value === param("tried"))?.[0] ?? "") as Filter;
  const path = `/runs/${encodeURIComponent(run.id)}/candidates`;
  const page = useLoad<Page>(path + queryText({ only: onlyOf(only), limit: 20 }));
  const [older, setOlder] = useState<Page | null>(null);
  useEffect(() => setOlder(null), [run.id, only]);
  // The list stays while older pages are open: new data never moves what is read.
  useEffect(() => { if (!older) page.reload(); }, [newest]);
  if (page.failure) return page.failure.status === 409 ? null : <Card wide title="Candidates"><p class="muted">{page.failure.message}</p></Card>;
  const list = [...(page.data?.candidates ?? []), ...(older?.candidates ?? [])];
  const next = older ? older.next : page.data?.next ?? null;
  const more = async () => {
    const found = await get<Page>(path + queryText({ only: onlyOf(only), limit: 50, before: next }));
    setOlder({ candidates: [...(older?.candidates ?? []), ...found.candidates], next: found.next });
  };
  const chosen = param("candidate");
  const hasTokens = list.some((each) => each.tokens > 0);
  return (
    <Card wide title="Candidates" tools={<Choice label="Candidates" value={only} options={FILTERS} choose={(value) => change({ tried: value || null, candidate: null })} />}>
      {list.length === 0 && <p class="muted">{next ? "None among the newest; look at older ones." : page.data ? "None so far." : "Reading."}</p>}
      {list.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="List of candidates">
          <table class="candidates">
            <thead><tr><th>Candidate</th><th>Made by</th><th class="number extra">Island</th><th class="number">{scoreName(run)}</th>{hasTokens && <th class="number extra">Tokens</th>}<th>What it is</th></tr></thead>
            <tbody>
              {trialsOf(list).map(({ each, trials }) => trials > 0 ? (
                <tr key={each.at} class="muted"><td colSpan={hasTokens ? 6 : 5}>{plural(trials, "trial")} without a better {run.kind === "fn" ? "formula" : "program"}</td></tr>
              ) : (
                <tr key={each.at} class={(String(each.at) === chosen ? "chosen" : "") + (each.failed ? " failed" : "")}>
                  <td><button type="button" class="small" aria-pressed={String(each.at) === chosen}
                    onClick={() => change({ candidate: String(each.at) === chosen ? null : each.at })}>{each.id ?? "no program"}</button></td>
                  <td>{[each.engine, each.move && words(each.move)].filter(Boolean).join(": ")}</td>
                  <td class="number extra">{each.island === null ? "" : each.island + 1}</td>
                  <td class="number">{each.failed ? "failed" : scoreOf(run, each.score)}{each.best && <span title="The best so far"> ★</span>}</td>
                  {hasTokens && <td class="number extra">{each.tokens > 0 && count(each.tokens)}</td>}
                  <td>{each.failed ? <span class="reason">{each.failure}</span> : <><code>{each.text}</code>{each.failure && <span class="muted tiny">{each.failure}</span>}</>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next !== null && <p><button type="button" class="small" onClick={more}>Older</button></p>}
      {chosen && <Detail run={run} at={chosen} />}
    </Card>
  );
}

// Trials that found nothing better stand together in one row.
function trialsOf(list: Candidate[]): { each: Candidate; trials: number }[] {
  const rows: { each: Candidate; trials: number }[] = [];
  for (const each of list) {
    const isEmpty = each.id === null && !each.failed;
    const last = rows.at(-1);
    if (isEmpty && last && last.trials > 0) last.trials += 1;
    else rows.push({ each, trials: isEmpty ? 1 : 0 });
  }
  return rows;
}

function Detail({ run, at }: { run: Run; at: string }) {
  const detail = useLoad<CandidateDetail>(`/runs/${encodeURIComponent(run.id)}/candidates/${encodeURIComponent(at)}`);
  if (detail.failure) return <p class="failure">{detail.failure.message}</p>;
  const it = detail.data;
  if (!it) return <p class="muted">Reading.</p>;
  const parent = it.parents.filter((each) => each.source).at(-1);
  return (
    <div class="candidate">
      <h3>{it.id === null ? "A reply without a program" : `Candidate ${it.id}`}</h3>
      <dl class="facts">
        <Fact name={scoreName(run)}>{it.failed ? "failed" : scoreOf(run, it.score)}</Fact>
        {it.failure && <Fact name="Why">{it.failure}</Fact>}
        {it.parents.length > 0 && <Fact name="Parents">{it.parents.map((each) => each.score == null ? each.id : `${each.id} (${scoreOf(run, each.score)})`).join(", ")}</Fact>}
        {it.seconds != null && <Fact name="Seconds">{number(it.seconds)}</Fact>}
        {it.tokens > 0 && <Fact name="Tokens">{count(it.tokens)}</Fact>}
        {it.money_micros > 0 && <Fact name="Cost">${number(it.money_micros / 1e6)}</Fact>}
        {(it.scores?.length ?? 0) > 1 && <Fact name={run.kind === "fn" ? "Error by part of the table" : "Score by input"}>{it.scores!.map((each) => scoreOf(run, each)).join(", ")}</Fact>}
      </dl>
      {it.source && <Source text={it.source} parent={parent?.source ?? undefined} name={parent && String(parent.id)} />}
      {it.system && <details><summary>System prompt</summary><pre>{it.system}</pre></details>}
      {it.prompt && <details><summary>Prompt</summary><pre>{it.prompt}</pre></details>}
      {it.reply && <details open={it.failed}><summary>Reply</summary><pre>{it.reply}</pre></details>}
    </div>
  );
}

const MARKS = { "": { style: "", name: "" }, left: { style: "right", name: "Removed: " }, right: { style: "left", name: "New: " } };

// Long texts are shown without the difference, which takes the product of their
// lengths.
function Source({ text, parent, name }: { text: string; parent?: string; name?: string }) {
  const [own, old] = [text.trimEnd().split("\n"), parent?.trimEnd().split("\n")];
  const lines = old && own.length * old.length < 4e6 ? unified(old, own) : own.map((each) => ({ text: each, mark: "" as const }));
  return (
    <>
      <p class="tiny muted">{old ? <>Compared with parent {name}: green lines are new, amber lines were removed. </> : null}<CopyButton text={text}>Copy</CopyButton></p>
      <ol class="compared code">
        {lines.map((line, i) => <li key={i} class={MARKS[line.mark].style}><span class="unseen">{MARKS[line.mark].name}</span>{line.text || " "}</li>)}
      </ol>
    </>
  );
}
