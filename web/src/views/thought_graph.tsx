// The graph of a session. Only the rows on the screen are rendered, so it stays
// smooth with ten thousand events.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, number, words } from "../format";
import { State } from "../parts/basics";
import type { Branch, Session } from "../types";
import type { Layout, Link, Placed } from "./thought_layout";

const ROW = 86;
const CARD = 70;
const COLUMN = 232;
const CARD_WIDTH = 212;
const EXTRA = 4;

const ENDED = new Set(["completed", "failed", "timeout", "budget_exceeded"]);
const LOST = new Set(["early_stopped", "rejected"]);
const isLost = (branch: Branch | undefined, winner: string): boolean =>
  !!branch && branch.id !== winner && (LOST.has(branch.state) || branch.outcome === "race_lost");

export function ThoughtGraph(props: {
  layout: Layout; session: Session; chosen: number; choose: (seq: number) => void; follows: boolean;
}) {
  const { layout, session } = props;
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 30 });
  const branches = new Map(session.branches.map((branch) => [branch.id, branch]));
  const evidence = useMemo(() => new Set(session.evidence), [session.evidence]);
  const measure = () => {
    if (!box.current) return;
    const { scrollTop, clientHeight } = box.current;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - EXTRA);
    const last = Math.ceil((scrollTop + clientHeight) / ROW) + EXTRA;
    setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
  };
  useEffect(() => {
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(box.current!);
    return () => watcher.disconnect();
  }, []);
  // A session that goes on is followed while the reader is at its end; one that
  // has ended is read from the start.
  const wasAtEnd = useRef(!ENDED.has(session.state));
  const onScroll = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    wasAtEnd.current = scrollTop + clientHeight >= scrollHeight - ROW;
    measure();
  };
  useEffect(() => {
    if (!props.follows || !wasAtEnd.current || !box.current) return;
    const newest = layout.placed[layout.placed.length - 1];
    box.current.scrollTop = newest.row * ROW - box.current.clientHeight + 2.5 * ROW;
    const left = newest.column * COLUMN;
    if (left + COLUMN > box.current.scrollLeft + box.current.clientWidth || left < box.current.scrollLeft) box.current.scrollLeft = left - 40;
  }, [layout.placed.length, props.follows]);
  useEffect(() => {
    const placed = layout.placed.find((p) => p.event.seq === props.chosen);
    if (!placed || !box.current) return;
    const { scrollTop, clientHeight } = box.current;
    const top = placed.row * ROW;
    const left = placed.column * COLUMN;
    if (left < box.current.scrollLeft || left + COLUMN > box.current.scrollLeft + box.current.clientWidth) box.current.scrollLeft = left - 40;
    if (top < scrollTop || top + ROW > scrollTop + clientHeight - 60) box.current.scrollTop = top - clientHeight / 3;
  }, [props.chosen]);

  const move = (event: KeyboardEvent, placed: Placed) => {
    const target = neighbour(layout, placed, event.key);
    if (!target) return;
    event.preventDefault();
    props.choose(target.event.seq);
    requestAnimationFrame(() => document.getElementById("event-" + target.event.seq)?.focus());
  };
  const shown = layout.rows.slice(range.first, range.last).flatMap((row) => row ?? []);
  const width = layout.columns.length * COLUMN;
  return (
    <div class="graph" ref={box} onScroll={onScroll} tabIndex={0} role="region" aria-label="Graph of thoughts; arrow keys move between steps">
      <div class="graph-heads" style={{ width: width + "px" }}>
        {layout.columns.map((id) => {
          const branch = branches.get(id);
          return (
            <div key={id} class={"graph-head" + (isLost(branch, session.winner) ? " lost" : "")} style={{ width: COLUMN - 20 + "px" }}>
              <b class="clip" title={branch?.name ?? id}>{branch?.name ?? id}</b>
              {session.winner === id && <span class="tag win">winner</span>}
              {branch && <State name={branch.state} />}
              {branch?.score != null && <span class="tiny muted">score {number(branch.score, 2)}</span>}
              <span class="tiny muted">{count(branch?.tokens ?? 0)} tokens</span>
            </div>
          );
        })}
      </div>
      <div class="graph-body" style={{ width: width + "px", height: layout.rows.length * ROW + "px" }}>
        <svg width={width} height={layout.rows.length * ROW} aria-hidden="true">
          {layout.links.filter((link) => link.to.row >= range.first && link.from.row <= range.last).map((link) => (
            <path key={link.from.event.seq + "-" + link.to.event.seq} d={curve(link)}
              class={`link link-${link.type}` + (evidence.has(link.from.event.id) && evidence.has(link.to.event.id) ? " chain" : "")} />
          ))}
        </svg>
        {shown.map((placed) => (
          <StepCard key={placed.event.id} placed={placed} chosen={props.chosen === placed.event.seq}
            lost={isLost(branches.get(layout.columns[placed.column]), session.winner)}
            isEvidence={evidence.has(placed.event.id)} choose={props.choose} move={move} />
        ))}
      </div>
    </div>
  );
}

function StepCard(props: {
  placed: Placed; chosen: boolean; lost: boolean; isEvidence: boolean;
  choose: (seq: number) => void; move: (event: KeyboardEvent, placed: Placed) => void;
}) {
  const { event, column, row } = props.placed;
  const tone = event.status === "rejected" || event.constraints?.success === false ? " bad" : event.constraints?.success === true ? " good" : "";
  return (
    <button type="button" id={"event-" + event.seq} aria-pressed={props.chosen}
      class={`step step-${event.type}${tone}${props.lost ? " lost" : ""}${props.isEvidence ? " evidence" : ""}`}
      style={{ left: column * COLUMN + 2 + "px", top: row * ROW + 2 + "px", width: CARD_WIDTH + "px", height: CARD + "px" }}
      onClick={() => props.choose(event.seq)} onKeyDown={(key) => props.move(key, props.placed)}>
      <span class="step-kind">{words(event.type)}<i>#{event.seq}</i></span>
      <span class="step-text">{event.content || words(event.status)}</span>
    </button>
  );
}

function curve({ from, to }: Link): string {
  const x0 = from.column * COLUMN + CARD_WIDTH / 2;
  const x1 = to.column * COLUMN + CARD_WIDTH / 2;
  const y0 = from.row * ROW + CARD + 2;
  const y1 = to.row * ROW + 2;
  const bend = Math.min(40, (y1 - y0) / 2);
  return `M${x0} ${y0}C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`;
}

// The step that an arrow key leads to.
function neighbour(layout: Layout, from: Placed, key: string): Placed | undefined {
  const inColumn = (column: number) => layout.placed.filter((p) => p.column === column);
  if (key === "ArrowDown") return inColumn(from.column).find((p) => p.row > from.row);
  if (key === "ArrowUp") return inColumn(from.column).reverse().find((p) => p.row < from.row);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const list = inColumn(from.column + (key === "ArrowRight" ? 1 : -1));
  return list.sort((a, b) => Math.abs(a.row - from.row) - Math.abs(b.row - from.row))[0];
}
