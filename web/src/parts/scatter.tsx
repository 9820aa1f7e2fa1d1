// Points in a square: predicted against true, or residuals.
import { number } from "../format";

const W = 340;
const H = 250;
const PAD = { left: 52, right: 10, top: 10, bottom: 34 };

export function Scatter({ points, xName, yName, diagonal, label }: {
  points: readonly (readonly [number, number])[]; xName: string; yName: string; diagonal?: boolean; label: string;
}) {
  const known = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  if (known.length === 0) return <p class="muted">No finite values.</p>;
  const xs = known.map((p) => p[0]);
  const ys = known.map((p) => p[1]);
  let [x0, x1, y0, y1] = [min(xs), max(xs), min(ys), max(ys)];
  if (diagonal) [x0, x1, y0, y1] = [Math.min(x0, y0), Math.max(x1, y1), Math.min(x0, y0), Math.max(x1, y1)];
  else [y0, y1] = [-Math.max(-y0, y1), Math.max(-y0, y1)];
  // Residuals of an exact law lie in the middle.
  if (!diagonal && y1 === 0) [y0, y1] = [-1, 1];
  const px = (x: number) => PAD.left + ((x - x0) / (x1 - x0 || 1)) * (W - PAD.left - PAD.right);
  const py = (y: number) => H - PAD.bottom - ((y - y0) / (y1 - y0 || 1)) * (H - PAD.top - PAD.bottom);
  return (
    <svg class="scatter" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={label}>
      {diagonal ? <path class="guide" d={`M${px(x0)} ${py(y0)}L${px(x1)} ${py(y1)}`} /> : <path class="guide" d={`M${px(x0)} ${py(0)}H${px(x1)}`} />}
      {known.map(([x, y], i) => <circle key={i} cx={px(x).toFixed(1)} cy={py(y).toFixed(1)} r="2.6" />)}
      <text x={PAD.left} y={H - 18}>{number(x0, 3)}</text>
      <text x={W - PAD.right} y={H - 18} text-anchor="end">{number(x1, 3)}</text>
      <text x={PAD.left - 6} y={PAD.top + 8} text-anchor="end">{number(y1, 3)}</text>
      <text x={PAD.left - 6} y={H - PAD.bottom} text-anchor="end">{number(y0, 3)}</text>
      <text class="axis-name" x={(W + PAD.left) / 2} y={H - 4} text-anchor="middle">{xName}</text>
      <text class="axis-name" transform={`translate(12 ${H / 2 - 10}) rotate(-90)`} text-anchor="middle">{yName}</text>
    </svg>
  );
}

const min = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const max = (values: number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);
