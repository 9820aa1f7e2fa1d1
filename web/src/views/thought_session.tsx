// One thought session: the graph, one step of it, budgets and the evidence.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Failure, get, queryText } from "../api";
import { clock, count, duration, number, percent, words } from "../format";
import { useLoad, useThrottled } from "../load";
import { Card, Choice, Empty, Fact, Loading, Meter, Problem, State } from "../parts/basics";
import { TimeSlider, chosenEvent } from "../parts/time_slider";
import { change, param } from "../router";
import { listen } from "../stream";
import type { Session, ThoughtEvent } from "../types";
import { ThoughtGraph } from "./thought_graph";
import { branchOf, layOut } from "./thought_layout";

interface EventPage { events: ThoughtEvent[]; next: number; as_of: number }
const PAGE = 2000;

// All events of a session, extended as they happen.
function useEvents(id: string): { events: ThoughtEvent[]; failure: Failure | null; isWhole: boolean } {
  const [events, setEvents] = useState<ThoughtEvent[]>([]);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isWhole, setWhole] = useState(false);
  const state = useRef({ next: 0, busy: false, again: false });
  const read = async () => {
    const own = state.current;
    if (own.busy) return void (own.again = true);
    own.busy = true;
    try {
      let page: EventPage;
      do {
        own.again = false;
        page = await get<EventPage>(`/thoughts/${id}/events` + queryText({ after: own.next, limit: PAGE }));
        own.next = page.next;
        const added = page.events;
        if (added.length > 0) setEvents((old) => [...old, ...added]);
        setFailure(null);
      } while (page.events.length === PAGE || own.again);
      setWhole(true);
    } catch (reason) {
      setFailure(reason as Failure);
    }
    own.busy = false;
  };
  const readSoon = useThrottled(() => void read(), 250);
  useEffect(() => {
    void read();
    return listen({ path: `/stream?run=${encodeURIComponent(id)}`, after: 0, onEvents: readSoon });
  }, [id]);
  return { events, failure, isWhole };
}

const VIEWS = [["graph", "Graph"], ["list", "List"]] as const;

export function ThoughtSession({ id }: { id: string }) {
  const { events, failure } = useEvents(id);
  const at = chosenEvent();
  const newest = events.length > 0 ? events[events.length - 1].seq : 0;
  const time = at && at < newest ? at : 0;
  const loaded = useLoad<Session>(newest ? `/thoughts/${id}` + queryText({ at: time || null }) : null);
  // The state that belongs to the newest event.
  useEffect(() => { if (!time && newest) loaded.reload(); }, [newest]);
  const visible = useMemo(() => (time ? events.filter((event) => event.seq <= time) : events), [events, time]);
  const layout = useMemo(() => layOut(visible), [visible]);
  const chosen = Number(param("event")) || 0;
  const choose = (seq: number) => change({ event: seq });
  const session = loaded.data;
  if (!session) {
    const problem = failure ?? loaded.failure;
    return problem ? <Problem failure={problem} retry={() => location.reload()} /> : <Loading />;
  }
  const event = visible.find((each) => each.seq === chosen) ?? null;
  const shape = param("view") === "list" ? "list" : "graph";
  return (
    <>
      <header class="head">
        <div>
          <div class="crumb"><a href="/thoughts">Thoughts</a> / <span class="mono">{id}</span></div>
          <h1>{session.goal}</h1>
        </div>
        <State name={session.state} />
      </header>
      <Audit session={session} />
      <TimeSlider newest={newest} label="Event of the session" note={visible.length ? words(visible[visible.length - 1].type) : undefined} />
      <div class="session">
        <Card title="Branches" tools={<Choice label="Show as" value={shape} options={VIEWS} choose={(view) => change({ view })} />}>
          {layout.placed.length === 0 && <Empty title="Nothing happened yet" />}
          {layout.placed.length > 0 && shape === "graph" &&
            <ThoughtGraph layout={layout} session={session} chosen={chosen} choose={choose} follows={!time} />}
          {layout.placed.length > 0 && shape === "list" && <EventList events={visible} chosen={chosen} choose={choose} />}
        </Card>
        <div class="stack">
          {event ? <StepDetail event={event} session={session} choose={choose} events={visible} /> : (
            <Card title="A step"><p class="muted">Choose a step to see what was thought, what it cost and what it led to.</p></Card>
          )}
          <Evidence session={session} events={visible} choose={choose} chosen={chosen} />
          <Criteria session={session} />
          <Metrics metrics={session.metrics} />
        </div>
      </div>
    </>
  );
}

function Audit({ session }: { session: Session }) {
  const { tokens, time } = session;
  return (
    <dl class="card facts audit">
      <div class="fact grow">
        <dt>Tokens</dt>
        <dd>{count(tokens.used)} of {count(tokens.limit)}{tokens.reserved > 0 && <span class="muted"> + {count(tokens.reserved)} reserved</span>}
        <Meter value={tokens.used} limit={tokens.limit} label="Tokens used" warns /></dd>
      </div>
      <div class="fact grow">
        <dt>Time</dt>
        <dd>{duration(time.used_ms)} of {duration(time.limit_ms)}
        <Meter value={time.used_ms} limit={time.limit_ms} label="Time used" warns /></dd>
      </div>
      <Fact name="Branches">{session.branches.length}</Fact>
      <Fact name="Events">{count(session.as_of)}</Fact>
      {session.winner && <Fact name="Winner">{session.branches.find((b) => b.id === session.winner)?.name ?? session.winner}</Fact>}
    </dl>
  );
}

const isFailure = (event: ThoughtEvent): boolean =>
  event.status === "rejected" || event.status === "early_stopped" || event.constraints?.success === false || event.failure_signature !== "";

function EventList({ events: all, chosen, choose }: { events: ThoughtEvent[]; chosen: number; choose: (seq: number) => void }) {
  const onlyFailures = param("only") === "failures";
  const events = onlyFailures ? all.filter(isFailure) : all;
  const last = events.slice(-400);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Events">
      <p><button type="button" class="small" aria-pressed={onlyFailures} onClick={() => change({ only: onlyFailures ? null : "failures" })}>Only failures</button></p>
      {events.length === 0 && <p class="muted">Nothing failed so far.</p>}
      {last.length < events.length && <p class="muted tiny">The newest {last.length} of {count(events.length)} events. Drag the slider back for earlier ones.</p>}
      <table>
        <thead><tr><th>#</th><th>Branch</th><th>Kind</th><th>Content</th></tr></thead>
        <tbody>
          {last.map((event) => (
            <tr key={event.seq} class={event.seq === chosen ? "chosen" : ""}>
              <td><button type="button" class="small" onClick={() => choose(event.seq)}>{event.seq}</button></td>
              <td>{branchOf(event)}</td><td>{words(event.type)}</td><td>{event.content}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Fields that are shown elsewhere in the detail.
const SHOWN = new Set(["branch", "plan", "schema"]);

function StepDetail({ event, session, events, choose }: {
  event: ThoughtEvent; session: Session; events: ThoughtEvent[]; choose: (seq: number) => void;
}) {
  const byId = new Map(events.map((each) => [each.id, each]));
  const details = Object.entries(event.constraints ?? {}).filter(([name]) => !SHOWN.has(name));
  const plan = event.constraints?.plan;
  const branch = session.branches.find((each) => each.id === branchOf(event));
  return (
    <Card title={<>{words(event.type)} <span class="muted">#{event.seq}</span></>}
      tools={<button type="button" class="small" onClick={() => change({ event: null })}>Close</button>}>
      <div class="stack">
        {event.content && <p class="thought-text">{event.content}</p>}
        <dl class="facts">
          <Fact name="Branch">{branch?.name ?? branchOf(event)}</Fact>
          {event.role && <Fact name="Role">{event.role}</Fact>}
          <Fact name="Status">{words(event.status)}</Fact>
          <Fact name="Tokens">{count(event.token_cost)}</Fact>
          <Fact name="Time">{clock(event.ts_ms)}</Fact>
          {event.early_stop_reason && <Fact name="Stopped because">{words(event.early_stop_reason)}</Fact>}
          {event.failure_signature && <Fact name="Failure"><code>{event.failure_signature}</code></Fact>}
        </dl>
        {event.score && (
          <dl class="facts">{Object.entries(event.score).map(([name, value]) => <Fact key={name} name={words(name)}>{number(value, 3)}</Fact>)}</dl>
        )}
        {event.parents.length > 0 && (
          <div>
            <h3>Follows from</h3>
            <ul class="links">
              {event.parents.map((edge) => {
                const from = byId.get(edge.from);
                return from && (
                  <li key={edge.from}>
                    <button type="button" class="small" onClick={() => choose(from.seq)}>#{from.seq}</button>
                    <span class="muted">{edge.type}</span> <span>{from.content}</span>
                  </li>
                );
              })}
            </ul>
          </div>
        )}
        {typeof plan === "string" && <div><h3>Plan</h3><pre>{pretty(plan)}</pre></div>}
        {details.length > 0 && (
          <dl class="details">
            {details.map(([name, value]) => (
              <div key={name}><dt>{words(name)}</dt><dd>{typeof value === "string" ? value : JSON.stringify(value, null, 1)}</dd></div>
            ))}
          </dl>
        )}
      </div>
    </Card>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function Evidence({ session, events, choose, chosen }: {
  session: Session; events: ThoughtEvent[]; choose: (seq: number) => void; chosen: number;
}) {
  const byId = new Map(events.map((event) => [event.id, event]));
  const chain = session.evidence.map((id) => byId.get(id)).filter((event): event is ThoughtEvent => !!event);
  return (
    <Card title="Evidence chain">
      {chain.length === 0 ? <p class="muted">No plan was validated yet. Validated plans and their results form the chain.</p> : (
        <ol class="chain">
          {chain.map((event) => (
            <li key={event.id} class={event.constraints?.success === false || event.status === "rejected" ? "bad" : ""}>
              <button type="button" aria-pressed={event.seq === chosen} onClick={() => choose(event.seq)}>
                <b>{words(event.type)} <i>#{event.seq}</i></b>
                <span>{event.content}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Criteria({ session }: { session: Session }) {
  if (session.criteria.length === 0) return null;
  return (
    <Card title="Success criteria">
      <ul class="criteria">
        {session.criteria.map((criterion, i) => <li key={i}><State name={criterion.state} /><span>{criterion.text}</span></li>)}
      </ul>
    </Card>
  );
}

const METRIC_NAMES: Record<string, string> = { tpst: "Tokens", model_hops: "Steps", waste_ratio: "Tokens of lost branches", latency_ms: "Waiting, ms", early_stop_count: "Branches stopped early" };

function Metrics({ metrics }: { metrics: Record<string, unknown> | null }) {
  const rows = Object.entries(metrics ?? {}).filter(([name, value]) => typeof value === "number" && name !== "session");
  if (rows.length === 0) return null;
  return (
    <Card title="Metrics">
      <dl class="facts">
        {rows.map(([name, value]) => (
          <Fact key={name} name={METRIC_NAMES[name] ?? words(name)}>{/rate|share|fraction|ratio/.test(name) ? percent(value as number) : number(value as number)}</Fact>
        ))}
      </dl>
    </Card>
  );
}
