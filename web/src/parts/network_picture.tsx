// A network as the server laid it out. Nodes keep their places while it grows;
// what is new since the last picture is marked.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { number } from "../format";
import type { Network, NetworkEdge, NetworkNode } from "../types";

const WIDTHS = [300, 860]; // The drawing is as wide as its box, between these.
const MAX_HEIGHT = 440;
const padOf = (width: number): number => (width < 600 ? 92 : 104); // Left and right.
const MAX_NAME = 12;
const PAD_Y = 26;
const MAX_COLUMN = 28; // Nodes in one column; more are shown as a count.
const MAX_EDGES = 3000;
const LABEL_GAP = 44; // Nodes of a column that are closer have no text.

interface Spot { node: NetworkNode; x: number; y: number; hidden: number; gap: number }

// Columns with too many nodes end in one that stands for the rest.
function place(network: Network, width: number): { spots: Map<NetworkNode["id"], Spot>; height: number } {
  const columns = new Map<string, NetworkNode[]>();
  for (const node of network.nodes) {
    const key = node.x.toFixed(3);
    columns.set(key, [...(columns.get(key) ?? []), node]);
  }
  const spots = new Map<NetworkNode["id"], Spot>();
  const longest = Math.max(...[...columns.values()].map((nodes) => nodes.length));
  const height = Math.min(MAX_HEIGHT, Math.max(220, 2 * PAD_Y + longest * 62));
  for (const nodes of columns.values()) {
    const ordered = [...nodes].sort((a, b) => a.y - b.y);
    const isLong = ordered.length > MAX_COLUMN;
    const slots = ordered.map((node, i) => (isLong ? Math.min(i, MAX_COLUMN - 1) / (MAX_COLUMN - 1) : node.y));
    const gaps = slots.slice(1, MAX_COLUMN).map((slot, i) => (slot - slots[i]) * (height - 2 * PAD_Y));
    const gap = Math.min(LABEL_GAP, ...gaps);
    ordered.forEach((node, i) => {
      const hidden = isLong && i === MAX_COLUMN - 1 ? ordered.length - MAX_COLUMN + 1 : isLong && i >= MAX_COLUMN ? -1 : 0;
      spots.set(node.id, { node, hidden, gap, x: padOf(width) + node.x * (width - 2 * padOf(width)), y: PAD_Y + slots[i] * (height - 2 * PAD_Y) });
    });
  }
  return { spots, height };
}

const edgeKey = (edge: NetworkEdge): string => `${edge.from}>${edge.to}${edge.recurrent ? "r" : ""}`;

export function NetworkPicture({ network, seq }: { network: Network; seq: number }) {
  const box = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(WIDTHS[1]);
  // The text keeps its size on a narrow screen; the drawing becomes narrower.
  useLayoutEffect(() => {
    const measure = () => box.current && setWidth(Math.round(Math.min(WIDTHS[1], Math.max(WIDTHS[0], box.current.clientWidth))));
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(box.current!);
    return () => watcher.disconnect();
  }, []);
  const { spots, height } = useMemo(() => place(network, width), [network, width]);
  const [chosen, setChosen] = useState<NetworkNode["id"] | null>(null);
  const previous = useRef<{ seq: number; nodes: Set<unknown>; edges: Set<string> } | null>(null);
  const before = previous.current;
  useEffect(() => {
    previous.current = { seq, nodes: new Set(network.nodes.map((node) => node.id)), edges: new Set(network.edges.map(edgeKey)) };
  }, [network, seq]);
  const edges = useMemo(() => {
    const sorted = [...network.edges].sort((a, b) => Math.abs(a.weight ?? 0) - Math.abs(b.weight ?? 0));
    return sorted.slice(-MAX_EDGES);
  }, [network]);
  const largest = Math.max(1e-9, ...edges.map((edge) => Math.abs(edge.weight ?? 0)));
  const total = network.edges_total ?? network.edges.length;
  const isNewNode = (id: NetworkNode["id"]) => before !== null && !before.nodes.has(id);
  const isNewEdge = (edge: NetworkEdge) => before !== null && !before.edges.has(edgeKey(edge));
  const picked = chosen !== null ? spots.get(chosen)?.node : undefined;
  return (
    <figure class="network" ref={box}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={describe(network)}>
        <defs>
          <marker id="arrow" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0 6 3 0 6z" class="arrow" /></marker>
        </defs>
        {edges.map((edge) => {
          const [from, to] = [spots.get(edge.from), spots.get(edge.to)];
          if (!from || !to) return null;
          const weight = edge.weight ?? 0;
          const isNear = chosen === null || edge.from === chosen || edge.to === chosen;
          return (
            <path key={edgeKey(edge)} d={edgePath(from, to, !!edge.recurrent)} markerEnd={edge.recurrent ? "url(#arrow)" : undefined}
              class={`edge ${weight < 0 ? "negative" : "positive"}${edge.recurrent ? " recurrent" : ""}${isNewEdge(edge) ? " new" : ""}${isNear ? "" : " far"}`}
              stroke-width={(0.6 + 3.2 * Math.sqrt(Math.abs(weight) / largest)).toFixed(2)}>
              <title>{`${labelOf(from.node)} to ${labelOf(to.node)}: ${edge.count && edge.count > 1 ? `${edge.count} weights, rms ` : ""}${number(weight)}${edge.recurrent ? ", recurrent" : ""}`}</title>
            </path>
          );
        })}
        {[...spots.values()].filter((spot) => spot.hidden >= 0).map(({ node, x, y, hidden, gap }) => (
          <g key={node.id} class={`node node-${node.kind}${isNewNode(node.id) ? " new" : ""}${chosen === node.id ? " chosen" : ""}`}
            style={{ transform: `translate(${x}px, ${y}px)` }} onClick={() => setChosen(chosen === node.id ? null : node.id)}>
            <title>{hidden > 0 ? `${hidden} more nodes` : nodeText(node)}</title>
            <Shape isWide={(node.width ?? 1) > 1} gap={gap} />
            {hidden > 0 ? <text class="node-name" x={-14} y="4" text-anchor="end">+{hidden}</text> : <NodeName node={node} hasRoom={gap >= LABEL_GAP} />}
          </g>
        ))}
      </svg>
      <figcaption class="tiny muted">
        {picked ? nodeText(picked) : <><i class="dot c-accent" /> positive <i class="dot c-amber" /> negative weight, thicker is larger; dashed is recurrent.</>}
        {edges.length < total && ` The strongest ${edges.length} of ${total} edges.`}
      </figcaption>
    </figure>
  );
}

// As high as its column leaves room for.
function Shape({ isWide, gap }: { isWide: boolean; gap: number }) {
  if (!isWide) return <circle r={Math.max(3, Math.min(8, gap / 2 - 1))} />;
  const height = Math.max(6, Math.min(28, gap - 3));
  return <rect x="-9" y={-height / 2} width="18" height={height} rx={Math.min(6, height / 3)} />;
}

function NodeName({ node, hasRoom }: { node: NetworkNode; hasRoom: boolean }) {
  const clip = (text: string) => (text.length > MAX_NAME ? text.slice(0, MAX_NAME - 1) + "…" : text);
  const many = (node.width ?? 1) > 1 ? `${node.width} ${node.kind}s` : "";
  if (node.kind === "input" || node.kind === "bias") return <text class="node-name" x="-14" y="4" text-anchor="end">{clip(many || node.label || node.kind)}</text>;
  if (node.kind === "output") return <text class="node-name" x="14" y="4">{clip(many || node.label || "output")}</text>;
  if (!hasRoom) return null;
  return <text class="node-kind" y={(node.width ?? 1) > 1 ? 27 : 21} text-anchor="middle">{(node.width ?? 1) > 1 ? `${node.activation ?? ""} ×${node.width}` : node.activation}</text>;
}

const labelOf = (node: NetworkNode): string => node.label || `${node.kind} ${node.id}`;

function nodeText(node: NetworkNode): string {
  const parts = [labelOf(node)];
  if (node.activation) parts.push(node.activation);
  if ((node.width ?? 1) > 1) parts.push(`${node.width} units`);
  if (node.bias !== undefined && node.bias !== null) parts.push(`bias ${number(node.bias)}`);
  return parts.join(", ");
}

function describe(network: Network): string {
  const of = (kind: string) => network.nodes.filter((node) => node.kind === kind).length;
  const loops = network.edges.filter((edge) => edge.recurrent).length;
  return `Network with ${of("input")} inputs, ${of("hidden")} hidden nodes, ${of("output")} outputs, ${network.edges_total ?? network.edges.length} edges, ${loops} of them recurrent`;
}

function edgePath(from: Spot, to: Spot, isRecurrent: boolean): string {
  if (from === to) return `M${from.x - 5} ${from.y - 7}c-16 -30 26 -30 10 0`;
  if (isRecurrent || to.x <= from.x) {
    const lift = 34 + Math.abs(from.x - to.x) * 0.16;
    const middle = (from.x + to.x) / 2;
    return `M${from.x} ${from.y}Q${middle} ${Math.min(from.y, to.y) - lift} ${to.x} ${to.y - 8}`;
  }
  const bend = (to.x - from.x) * 0.45;
  return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
