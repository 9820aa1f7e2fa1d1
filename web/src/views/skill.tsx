// One skill: what it does, where it comes from, what it is worth, and the
// review.
import { useEffect, useState } from "preact/hooks";
import { post, remove } from "../api";
import { difference, type Line } from "../difference";
import { ago, clock, count, number, percent, words } from "../format";
import { useLoad, useNow } from "../load";
import { Card, Choice, Fact, Loading, Meter, Problem, State, useAction } from "../parts/basics";
import { change, param } from "../router";
import { listen } from "../stream";
import type { Skill } from "../types";

interface Use { id: string; skill_version: number; agent_id: string; session_id: string; kind: string; outcome: string | null; steps: number; tokens: number; message: string; created_at: string }
interface Matches { items: { skill: Skill; similarity: number }[] }

export function SkillView({ id }: { id: string }) {
  const skill = useLoad<Skill>("/evolved-skills/" + id);
  const now = useNow();
  useEffect(() => listen({ path: "/stream", after: 0, onEvents: () => undefined }), []);
  if (!skill.data) return skill.failure ? <Problem failure={skill.failure} retry={skill.reload} /> : <Loading />;
  const it = skill.data;
  return (
    <>
      <header class="head">
        <div>
          <div class="crumb"><a href="/skills">Skills</a> / <span class="mono">{it.id}</span></div>
          <h1>{it.name}</h1>
          <p>{it.description}</p>
        </div>
        <State name={it.status} />
      </header>
      <Review skill={it} done={skill.reload} />
      <div class="grid">
        <Definition skill={it} />
        <div class="stack">
          <Worth skill={it} now={now} />
          <Lift lift={it.lift} />
        </div>
        <Similar skill={it} />
        <Versions skill={it} done={skill.reload} />
        <Uses skill={it} now={now} />
      </div>
    </>
  );
}

function Review({ skill, done }: { skill: Skill; done: () => void }) {
  const [comment, setComment] = useState("");
  const { run, busy, failure } = useAction();
  const review = (action: "approve" | "reject") =>
    run(async () => {
      await post(`/evolved-skills/${skill.id}/review`, { action, ...(comment ? { comment } : {}) });
      setComment("");
      done();
    });
  const isPending = skill.status === "pending_review";
  const isApproved = skill.status === "approved" || skill.status === "auto_approved";
  return (
    <Card title={isPending ? "Review" : "Decision"}>
      {!isPending && (skill.reviewed_by || skill.review_comment) && (
        <p class="muted">{words(skill.status)}{skill.reviewed_by ? ` by ${skill.reviewed_by}` : ""}{skill.reviewed_at ? `, ${clock(skill.reviewed_at)}` : ""}{skill.review_comment ? `: ${skill.review_comment}` : "."}</p>
      )}
      <div class="review">
        <label>Comment <textarea rows={2} value={comment} placeholder="Why it may or may not be used" onInput={(event) => setComment(event.currentTarget.value)} /></label>
        <div class="row">
          {!isApproved && <button type="button" class="primary" disabled={busy} onClick={() => review("approve")}>Approve</button>}
          {skill.status !== "rejected" && <button type="button" class="danger" disabled={busy} onClick={() => review("reject")}>Reject</button>}
          {isApproved && <button type="button" disabled={busy} onClick={() => run(async () => { await remove(`/evolved-skills/${skill.id}`); done(); })}>Deprecate</button>}
          {isApproved && !skill.is_promoted && <button type="button" disabled={busy} onClick={() => run(async () => { await post(`/evolved-skills/${skill.id}/promote`); done(); })}>Promote</button>}
          {isApproved && <button type="button" disabled={busy} onClick={() => run(async () => { await post(`/evolved-skills/${skill.id}/share`, { is_shared: !skill.is_shared }); done(); })}>{skill.is_shared ? "Stop sharing" : "Share with all agents"}</button>}
        </div>
      </div>
      {failure && <p class="failure" role="alert">{failure}</p>}
    </Card>
  );
}

function Definition({ skill }: { skill: Skill }) {
  return (
    <Card title="Definition">
      <div class="stack">
        <ol class="steps">
          {skill.steps.map((step) => (
            <li key={step.order}>
              <b>{step.action}</b> <code>{step.tool}</code>
              {Object.keys(step.arguments).length > 0 && (
                <dl class="details">{Object.entries(step.arguments).map(([name, value]) => (
                  <div key={name}><dt>{name}</dt><dd class="mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd></div>
                ))}</dl>
              )}
            </li>
          ))}
        </ol>
        {skill.expected_outcome && <div><h3>Expected outcome</h3><p>{skill.expected_outcome}</p></div>}
        <Structure title="Parameters" value={skill.parameters} />
        <Structure title="Preconditions" value={skill.preconditions} />
        {skill.trigger_keywords.length > 0 && <div class="row">{skill.trigger_keywords.map((word) => <span class="tag" key={word}>{word}</span>)}</div>}
      </div>
    </Card>
  );
}

function Structure({ title, value }: { title: string; value: Record<string, unknown> }) {
  if (Object.keys(value ?? {}).length === 0) return null;
  return <div><h3>{title}</h3><pre>{JSON.stringify(value, null, 2)}</pre></div>;
}

function Worth({ skill, now }: { skill: Skill; now: number }) {
  return (
    <Card title="Quality and decay">
      <dl class="facts">
        <div class="fact grow"><dt>Quality</dt><dd>{percent(skill.quality_score)}<Meter value={skill.quality_score} limit={1} label="Quality" /></dd></div>
        <div class="fact grow"><dt>Reusability</dt><dd>{percent(skill.reusability_score)}<Meter value={skill.reusability_score} limit={1} label="Reusability" /></dd></div>
        <Fact name="Uses">{count(skill.use_count)}</Fact>
        <Fact name="Succeeded">{percent(skill.success_rate)}</Fact>
        <Fact name="Failures in a row">{skill.consecutive_failures}</Fact>
        <Fact name="Last used">{ago(skill.last_used_at, now)}</Fact>
        <Fact name="Learned">{ago(skill.created_at, now)}</Fact>
        <Fact name="Source">{skill.session_id
          ? skill.session_id.startsWith("sess_") ? <a href={"/thoughts/" + skill.session_id}>{skill.session_id}</a> : <span class="mono">{skill.session_id}</span>
          : "recorded traces"}</Fact>
      </dl>
      {skill.is_disabled && <p class="failure">Disabled: it failed too often in a row.</p>}
      {skill.is_cleanup_candidate && <p class="failure">Unused for long; it will be removed unless it is used.</p>}
    </Card>
  );
}

function Lift({ lift }: { lift?: Record<string, unknown> }) {
  const value = (name: string) => Number(lift?.[name] ?? 0);
  const known = lift && value("with_count") > 0 && value("without_count") > 0;
  return (
    <Card title="Measured lift">
      {!known ? <p class="muted">Not measured yet. It compares tasks that used the skill ({value("with_count")} so far) with similar ones that did not ({value("without_count")}).</p> : (
        <table>
          <thead><tr><th>Tasks</th><th class="number">Without</th><th class="number">With</th><th class="number">Change</th></tr></thead>
          <tbody>
            <tr><td>Count</td><td class="number">{value("without_count")}</td><td class="number">{value("with_count")}</td><td /></tr>
            {(["success", "steps", "tokens"] as const).map((what) => {
              const [before, after] = [value("without_" + what), value("with_" + what)];
              const isShare = what === "success";
              const change = isShare ? after - before : before ? after / before - 1 : 0;
              const isGood = isShare ? change > 0 : change < 0;
              return (
                <tr key={what}>
                  <td>{{ success: "Success", steps: "Steps", tokens: "Tokens" }[what]}</td>
                  <td class="number">{isShare ? percent(before) : number(before, 3)}</td>
                  <td class="number">{isShare ? percent(after) : number(after, 3)}</td>
                  <td class={"number " + (change === 0 ? "" : isGood ? "good" : "bad")}>{(change > 0 ? "+" : "") + percent(change)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Similar({ skill }: { skill: Skill }) {
  const [found, setFound] = useState<Matches["items"] | null>(null);
  useEffect(() => {
    post<Matches>("/evolved-skills/search", { task: `${skill.name}. ${skill.description}`.slice(0, 2000), limit: 6 }).then(
      (matches) => setFound(matches.items.filter((match) => match.skill.id !== skill.id)),
      () => setFound([]),
    );
  }, [skill.id, skill.version]);
  if (!found) return null;
  const chosen = found.find((match) => match.skill.id === param("with")) ?? found[0];
  return (
    <Card wide title="Similar skills" tools={found.length > 1 && (
      <Choice label="Compare with" value={chosen.skill.id} choose={(id) => change({ with: id })}
        options={found.map((match) => [match.skill.id, match.skill.name] as const)} />
    )}>
      {!chosen ? <p class="muted">No approved skill is similar.</p> : <SideBySide left={skill} right={chosen.skill} note={`${percent(chosen.similarity)} similar`} />}
    </Card>
  );
}

const lines = (skill: Skill): string[] => [
  ...skill.steps.map((step) => `${step.tool}: ${step.action}`),
  ...Object.keys(skill.parameters?.properties as object ?? skill.parameters ?? {}).map((name) => `parameter ${name}`),
  ...(skill.expected_outcome ? [`outcome: ${skill.expected_outcome}`] : []),
];

function SideBySide({ left, right, note }: { left: Skill; right: Skill; note: string }) {
  const [a, b] = difference(lines(left), lines(right));
  const column = (skill: Skill, list: Line[], title: string) => (
    <div>
      <h3>{title}</h3>
      <ul class="compared">
        {list.map((line, i) => (
          <li key={i} class={line.mark}>{line.mark && <span class="unseen">Only here: </span>}{line.text}</li>
        ))}
      </ul>
      {skill !== left && <a href={"/skills/" + skill.id}>Open {skill.name}</a>}
    </div>
  );
  return <div class="sides">{column(left, a, left.name)}{column(right, b, `${right.name}, ${note}`)}</div>;
}

function Versions({ skill, done }: { skill: Skill; done: () => void }) {
  const versions = useLoad<{ items: Skill[] }>(`/evolved-skills/${skill.id}/versions`);
  useEffect(() => versions.reload(), [skill.version]);
  const { run, busy, failure } = useAction();
  const shown = Number(param("version")) || 0;
  const items = versions.data?.items ?? [];
  const old = items.find((each) => each.version === shown);
  return (
    <Card title="Versions">
      <table>
        <thead><tr><th>Version</th><th>Changed</th><th class="number">Steps</th><th /></tr></thead>
        <tbody>
          {items.map((each) => (
            <tr key={each.version}>
              <td>{each.version}{each.version === skill.version && <span class="muted"> current</span>}</td>
              <td>{clock(each.updated_at)}</td>
              <td class="number">{each.steps.length}</td>
              <td class="number">{each.version !== skill.version && <button type="button" class="small" aria-expanded={shown === each.version} onClick={() => change({ version: shown === each.version ? null : each.version })}>Compare</button>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {old && old.version !== skill.version && (
        <>
          <SideBySide left={skill} right={{ ...old, name: "Version " + old.version }} note={clock(old.updated_at)} />
          <p class="row"><button type="button" disabled={busy} onClick={() => run(async () => { await post(`/evolved-skills/${skill.id}/rollback`, { version: old.version }); change({ version: null }); done(); })}>Make version {old.version} current</button></p>
        </>
      )}
      {failure && <p class="failure" role="alert">{failure}</p>}
    </Card>
  );
}

function Uses({ skill, now }: { skill: Skill; now: number }) {
  const uses = useLoad<{ items: Use[] }>(`/evolved-skills/${skill.id}/uses?limit=20`);
  const items = uses.data?.items ?? [];
  return (
    <Card title="Uses">
      {items.length === 0 ? <p class="muted">Not used yet.</p> : (
        <table>
          <thead><tr><th>When</th><th>Outcome</th><th class="number">Steps</th><th class="number">Tokens</th></tr></thead>
          <tbody>{items.map((use) => (
            <tr key={use.id}><td>{ago(use.created_at, now)}</td><td class={use.outcome === "failure" ? "bad" : ""}>{use.outcome ?? use.kind}{use.message && <span class="muted">: {use.message}</span>}</td><td class="number">{use.steps}</td><td class="number">{count(use.tokens)}</td></tr>
          ))}</tbody>
        </table>
      )}
    </Card>
  );
}
