// The review queue and the library of skills.
import { useEffect, useState } from "preact/hooks";
import { get, post, queryText } from "../api";
import { ago, percent, plural } from "../format";
import { useLoad, useNow, useThrottled } from "../load";
import { Choice, Empty, Loading, Meter, Problem, SearchField, State } from "../parts/basics";
import { WindowList } from "../parts/window_list";
import { change, param } from "../router";
import { listen } from "../stream";
import type { Skill } from "../types";

interface Page { items: Skill[]; next_cursor: string | null }
interface Matches { items: { skill: Skill; score: number; similarity: number }[]; reason: string | null }

const FILTERS = [
  ["pending_review", "To review"], ["approved", "Approved"], ["auto_approved", "Auto-approved"],
  ["rejected", "Rejected"], ["deprecated", "Deprecated"], ["all", "All"],
] as const;
type Filter = (typeof FILTERS)[number][0];

export function Skills() {
  const task = param("task");
  const status = (param("status") || "pending_review") as Filter;
  const filter = { status: status === "all" ? null : status, limit: 100 };
  const page = useLoad<Page>("/evolved-skills" + queryText(filter));
  const [more, setMore] = useState<Skill[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const now = useNow();
  const reload = useThrottled(page.reload, 1500);
  useEffect(() => listen({ path: "/stream", after: 0, onEvents: reload }), []);
  useEffect(() => setMore([]), [status]);
  useEffect(() => { if (more.length === 0) setCursor(page.data?.next_cursor ?? null); }, [page.data]);
  const loadMore = async () => {
    const next = await get<Page>("/evolved-skills" + queryText({ ...filter, cursor }));
    setMore([...more, ...next.items]);
    setCursor(next.next_cursor);
  };
  const rows = [...(page.data?.items ?? []), ...more];
  return (
    <>
      <header class="head">
        <div>
          <h1>Skills</h1>
          <p>Procedures learned from finished tasks. A person approves them; their use is measured; what fails fades out.</p>
        </div>
      </header>
      <div class="bar">
        <SearchField label="Find skills for a task" value={task} choose={(next) => change({ task: next })} />
        {!task && <Choice label="Status" value={status} options={FILTERS} choose={(next) => change({ status: next })} />}
      </div>
      {task ? <Found task={task} now={now} /> : (
        <>
          {page.failure && <Problem failure={page.failure} retry={page.reload} />}
          {!page.data && !page.failure && <Loading />}
          {page.data && rows.length === 0 && <NoSkills status={status} />}
          {rows.length > 0 && (
            <div class="card list">
              <WindowList rows={rows} height={84} label="Skills" keyOf={(skill) => skill.id}>
                {(skill) => <SkillRow skill={skill} now={now} />}
              </WindowList>
              {cursor && <button type="button" class="more" onClick={loadMore}>Show more</button>}
            </div>
          )}
        </>
      )}
    </>
  );
}

function NoSkills({ status }: { status: Filter }) {
  if (status === "pending_review") {
    return (
      <Empty title="Nothing to review">
        <p>Skills appear here after an agent finished a task that is worth repeating. <a href="/skills?status=all">See all skills</a>, or learn one from recorded traces:</p>
        <pre>lamarck skills learn TRACES.jsonl</pre>
      </Empty>
    );
  }
  return <Empty title="No skill has this status"><p><a href="/skills?status=all">See all skills.</a></p></Empty>;
}

function Found({ task, now }: { task: string; now: number }) {
  const [found, setFound] = useState<Matches | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let isCurrent = true;
    post<Matches>("/evolved-skills/search", { task, limit: 20 }).then(
      (matches) => { if (isCurrent) { setFound(matches); setFailure(""); } },
      (reason) => { if (isCurrent) setFailure(reason.message); },
    );
    return () => { isCurrent = false; };
  }, [task]);
  if (failure) return <p class="failure" role="alert">{failure}</p>;
  if (!found) return <Loading />;
  if (found.items.length === 0) return <Empty title="No approved skill fits"><p>{found.reason}</p></Empty>;
  return (
    <div class="card list">
      {found.items.map(({ skill, similarity }) => <SkillRow key={skill.id} skill={skill} now={now} similarity={similarity} />)}
    </div>
  );
}

function SkillRow({ skill, now, similarity }: { skill: Skill; now: number; similarity?: number }) {
  return (
    <a class="list-row skill-row" href={"/skills/" + skill.id}>
      <span class="list-main">
        <b class="clip">{skill.name}</b>
        <span class="muted tiny clip">{skill.description}</span>
        <span class="muted tiny clip">{plural(skill.steps.length, "step")} · version {skill.version} · {skill.tools_used.join(", ")}</span>
      </span>
      <span class="quality">
        <span class="tiny muted">{similarity === undefined ? "Quality" : "Fit"} {percent(similarity ?? skill.quality_score)}</span>
        <Meter value={similarity ?? skill.quality_score} limit={1} label={similarity === undefined ? "Quality" : "Fit"} />
      </span>
      <State name={skill.status} />
      <span class="tiny muted number">
        {skill.use_count > 0 ? `${plural(skill.use_count, "use")}, ${percent(skill.success_rate)} good` : ago(skill.created_at, now)}
      </span>
    </a>
  );
}
