// A small curve without axes.
export function Spark({ points, label }: { points: readonly (readonly [number, number | null])[]; label: string }) {
  const known = points.filter((p): p is readonly [number, number] => p[1] !== null && Number.isFinite(p[1]));
  if (known.length < 2) return <svg class="spark" aria-hidden="true" viewBox="0 0 120 32" />;
  const xs = known.map((p) => p[0]);
  const ys = known.map((p) => p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const place = ([x, y]: readonly [number, number]) =>
    `${(2 + ((x - x0) / (x1 - x0 || 1)) * 116).toFixed(1)} ${(29 - ((y - y0) / (y1 - y0 || 1)) * 26).toFixed(1)}`;
  const line = "M" + known.map(place).join("L");
  const [endX, endY] = place(known[known.length - 1]).split(" ");
  return (
    <svg class="spark" viewBox="0 0 120 32" role="img" aria-label={label}>
      <path class="spark-area" d={`${line}L118 32L2 32Z`} />
      <path class="spark-line" d={line} />
      <circle cx={endX} cy={endY} r="2" />
    </svg>
  );
}
