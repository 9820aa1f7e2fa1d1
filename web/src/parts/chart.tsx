// Curves over time. The raw line is always drawn; smoothing adds a second one.
// A zoom is in the address and survives new data; without one the chart follows
// the newest point.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { number } from "../format";
import { color, theme } from "../theme";
import type { Values } from "../types";

// Where a logarithmic axis ends: zero has no logarithm, so what is smaller is
// drawn on this line.
const DECADES = 3;
export function logFloor(values: Values, least: number): number {
  const positive = values.filter((value): value is number => value !== null && value > 0);
  return Math.max(least, positive.length ? Math.min(...positive) : least);
}

// Some decades around values that hardly differ.
function logRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(min > 0)) return [1e-3, 1];
  const spare = Math.max(0, DECADES - Math.log10(max / min)) / 2;
  return [10 ** Math.floor(Math.log10(min) - spare), 10 ** Math.ceil(Math.log10(max) + spare)];
}

export interface Line { name: string; values: Values; color: string }
export type Zoom = [number, number] | null;

export function smooth(values: Values, strength: number): Values {
  let mean: number | null = null;
  return values.map((value) => {
    if (value === null) return mean;
    mean = mean === null ? value : strength * mean + (1 - strength) * value;
    return mean;
  });
}

// Around the values with a margin, also if they hardly differ.
function linearRange(min: number | null, max: number | null, most: number): [number, number] {
  if (min === null || max === null) return [0, 1];
  const pad = Math.max((max - min) * 0.08, Math.abs(max) * 0.01) || 1;
  return [min - pad, max <= most ? Math.min(max + pad, most) : max + pad];
}

// Of points at the same end of x, uPlot looks at one only: all count here.
function shownRange({ lines, zoom }: { lines: Line[]; zoom: Zoom }, min: number | null, max: number | null): [number | null, number | null] {
  if (zoom || min === null || max === null) return [min, max];
  for (const line of lines) {
    for (const value of line.values) {
      if (value === null) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  return [min, max];
}

export function Chart(props: {
  x: Values; xName: string; lines: Line[]; log: boolean; smoothing: number; zoom: Zoom;
  least?: number; // Of a logarithmic axis.
  most?: number; // Of a linear axis: no value is above it.
  onZoom: (zoom: Zoom) => void; onPick?: (index: number) => void; marker?: number | null; height?: number; label: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [hover, setHover] = useState<number | null>(null);
  const height = props.height ?? 260;
  const names = props.lines.map((line) => line.name).join("|");
  const isSmooth = props.smoothing > 0;
  // Made anew only when its shape changes, not for new data.
  useEffect(() => {
    const ink = color("muted");
    const grid = { stroke: color("line"), width: 1 };
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: "12px " + getComputedStyle(document.body).fontFamily };
    const series: uPlot.Series[] = [{}];
    // A line needs two points; fewer are drawn as such.
    const points = (fill: string) => ({ show: (u: uPlot) => u.data[0].length < 2, size: 9, fill });
    for (const line of props.lines) {
      const stroke = color(line.color);
      series.push({ label: line.name, stroke: isSmooth ? fade(stroke) : stroke, width: isSmooth ? 1 : 2, points: points(stroke), spanGaps: true });
      if (isSmooth) series.push({ label: line.name + ", smoothed", stroke, width: 2, points: points(stroke), spanGaps: true });
    }
    const chart = new uPlot({
      width: box.current!.clientWidth, height, series, legend: { show: false },
      scales: { x: { time: false }, y: props.log ? { distr: 3, range: (_, min, max) => logRange(min, max) } : { distr: 1, range: (_, min, max) => linearRange(...shownRange(latest.current, min, max), latest.current.most ?? Infinity) } },
      axes: [{ ...axis, size: 34, values: (_, ticks) => ticks.map((tick) => number(tick)) },
        { ...axis, size: 62, ...(props.log ? { filter: powersOfTen, grid: { ...grid, filter: powersOfTen }, ticks: { ...grid, size: 4, filter: powersOfTen } } : {}), values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : number(tick))) }],
      cursor: { drag: { x: true, y: false, setScale: false }, focus: { prox: 30 }, y: false },
      hooks: {
        setCursor: [(u) => setHover(u.cursor.idx ?? null)],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          latest.current.onZoom([u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")]);
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        }],
        draw: [(u) => drawMarker(u, latest.current.marker, ink)],
      },
    }, [[]] as unknown as uPlot.AlignedData, box.current!);
    chart.over.addEventListener("dblclick", () => latest.current.onZoom(null));
    chart.over.addEventListener("click", () => {
      const index = chart.cursor.idx;
      if (index != null && chart.select.width < 4) latest.current.onPick?.(index);
    });
    plot.current = chart;
    const watcher = new ResizeObserver(() => box.current && chart.setSize({ width: box.current.clientWidth, height }));
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [names, props.log, isSmooth, height, theme.value]);
  useEffect(() => {
    const chart = plot.current;
    if (!chart || props.x.length === 0) return;
    const data: Values[] = [props.x];
    for (const line of props.lines) {
      const floor = props.log ? logFloor(line.values, props.least ?? 1e-16) : 0;
      const shown = props.log ? line.values.map((value) => (value === null || value < 0 ? null : Math.max(floor, value))) : line.values;
      data.push(shown);
      if (isSmooth) data.push(smooth(shown, props.smoothing));
    }
    chart.setData(data as uPlot.AlignedData, false);
    const [first, last] = [props.x[0] ?? 0, props.x[props.x.length - 1] ?? 1];
    const [min, max] = props.zoom ?? [first, last > first ? last : first + 1];
    chart.setScale("x", { min, max });
  }, [props.x, names, props.lines, props.log, props.smoothing, props.zoom?.[0], props.zoom?.[1], theme.value, height]);
  useEffect(() => plot.current?.redraw(false, false), [props.marker]);
  const at = hover ?? props.x.length - 1;
  return (
    <div>
      <div class="chart" ref={box} role="img" aria-label={summary(props.label, props.lines)} />
      <p class="chart-note">
        {props.x.length > 0 && <>{props.xName} {number(props.x[at])}{props.lines.map((line) => <span key={line.name}> · <i class={"dot c-" + line.color} /> {line.name} <b>{number(line.values[at])}</b></span>)}</>}
        {props.zoom && <button type="button" class="small" onClick={() => props.onZoom(null)}>Show all</button>}
      </p>
    </div>
  );
}

// On a logarithmic axis, only the powers of ten, unless it is too short.
function powersOfTen(_: uPlot, splits: number[]): (number | null)[] {
  const isPower = (value: number) => value > 0 && Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  return splits.filter(isPower).length < 2 ? splits : splits.map((value) => (isPower(value) ? value : null));
}

function summary(label: string, lines: Line[]): string {
  const texts = lines.map((line) => {
    const known = line.values.filter((value): value is number => value !== null);
    return known.length ? `${line.name} from ${number(known[0])} to ${number(known[known.length - 1])}` : `${line.name} unknown`;
  });
  return `${label}: ${texts.join(", ")}`;
}

const fade = (stroke: string): string => stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.4)");

function drawMarker(u: uPlot, marker: number | null | undefined, ink: string): void {
  if (marker === null || marker === undefined) return;
  const x = u.valToPos(marker, "x", true);
  const { left, top, width, height } = u.bbox;
  if (x < left || x > left + width) return;
  u.ctx.save();
  u.ctx.strokeStyle = ink;
  u.ctx.lineWidth = devicePixelRatio;
  u.ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  u.ctx.beginPath();
  u.ctx.moveTo(x, top);
  u.ctx.lineTo(x, top + height);
  u.ctx.stroke();
  u.ctx.restore();
}
