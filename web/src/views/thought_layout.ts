// Places the events of a session: one column per branch, one row per step. An
// event comes below its parents and below the earlier events of its branch, so
// branches that ran at the same time stand side by side.
import type { ThoughtEvent } from "../types";

export interface Placed { event: ThoughtEvent; column: number; row: number }
export interface Link { from: Placed; to: Placed; type: string }
export interface Layout {
  placed: Placed[]; // In the order of events.
  rows: Placed[][]; // By row.
  links: Link[];
  columns: string[]; // Branch ids.
  byId: Map<string, Placed>;
}

export const branchOf = (event: ThoughtEvent): string => event.branch || "main";

export function layOut(events: readonly ThoughtEvent[]): Layout {
  const byId = new Map<string, Placed>();
  const columns: string[] = [];
  const next: number[] = []; // The next free row of each column.
  const layout: Layout = { placed: [], rows: [], links: [], columns, byId };
  for (const event of events) {
    const branch = branchOf(event);
    let column = columns.indexOf(branch);
    if (column < 0) {
      column = columns.push(branch) - 1;
      next.push(0);
    }
    let row = next[column];
    const parents = event.parents.map((edge) => ({ edge, from: byId.get(edge.from) }));
    for (const { from } of parents) if (from) row = Math.max(row, from.row + 1);
    next[column] = row + 1;
    const placed = { event, column, row };
    byId.set(event.id, placed);
    layout.placed.push(placed);
    (layout.rows[row] ??= []).push(placed);
    for (const { edge, from } of parents) if (from) layout.links.push({ from, to: placed, type: edge.type });
  }
  return layout;
}
