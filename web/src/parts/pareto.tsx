// The front of laws: error against size. A point is a button.
import { number } from "../format";
import type { Law } from "../types";

const W = 460;
const H = 270;
const PAD = { left: 58, right: 16, top: 14, bottom: 38 };
const FLOOR = 1e-16;

export function Pareto({ front, chosen, choose }: { front: Law[]; chosen: number; choose: (index: number) => void }) {
  const known = front.map((law, index) => ({ law, index })).filter(({ law }) => law.nmse !== null && Number.isFinite(law.nmse));
  if (known.length === 0) return <p class="muted">No law with a finite error yet.</p>;
  const sizes = known.map(({ law }) => law.size);
  const logs = known.map(({ law }) => Math.log10(Math.max(FLOOR, law.nmse!)));
  const [s0, s1] = [0, Math.max(...sizes) + 1];
  const [l0, l1] = [Math.floor(Math.min(...logs) - 0.2), Math.ceil(Math.max(...logs) + 0.05)];
  const px = (size: number) => PAD.left + ((size - s0) / (s1 - s0)) * (W - PAD.left - PAD.right);
  const py = (log: number) => H - PAD.bottom - ((log - l0) / (l1 - l0 || 1)) * (H - PAD.top - PAD.bottom);
  const step = Math.max(1, Math.ceil((l1 - l0) / 6));
  const ticks = Array.from({ length: Math.floor((l1 - l0) / step) + 1 }, (_, i) => l0 + i * step);
  const sizeStep = Math.max(1, Math.ceil(s1 / 6));
  const line = known.map(({ law }, i) => `${i ? "H" + px(law.size).toFixed(1) + "V" : "M" + px(law.size).toFixed(1) + " "}${py(logs[i]).toFixed(1)}`).join("");
  // A point can be hit within 12 units, but never closer to its neighbour than to itself.
  const reach = (place: number) => known.reduce((least, { law }, other) => other === place ? least
    : Math.min(least, Math.hypot(px(law.size) - px(sizes[place]), py(logs[other]) - py(logs[place])) / 2), 12);
  const move = (event: KeyboardEvent, place: number) => {
    const next = event.key === "ArrowRight" ? place + 1 : event.key === "ArrowLeft" ? place - 1 : -1;
    if (!known[next]) return;
    event.preventDefault();
    choose(known[next].index);
    document.getElementById("law-" + known[next].index)?.focus();
  };
  return (
    <svg class="pareto" viewBox={`0 0 ${W} ${H}`} role="group" aria-label="Laws by size and error">
      {ticks.map((tick) => (
        <g key={tick}><path class="grid-line" d={`M${PAD.left} ${py(tick)}H${W - PAD.right}`} /><text x={PAD.left - 8} y={py(tick) + 4} text-anchor="end">{tick === 0 ? "1" : `1e${tick}`}</text></g>
      ))}
      {Array.from({ length: Math.floor(s1 / sizeStep) + 1 }, (_, i) => i * sizeStep).map((size) => (
        <text key={size} x={px(size)} y={H - PAD.bottom + 16} text-anchor="middle">{size}</text>
      ))}
      <text class="axis-name" x={(W + PAD.left) / 2} y={H - 4} text-anchor="middle">size of the formula</text>
      <text class="axis-name" transform={`translate(11 ${H / 2 - 10}) rotate(-90)`} text-anchor="middle">error (NMSE)</text>
      <path class="front-line" d={line} />
      {known.map(({ law, index }, place) => (
        <g key={index} id={"law-" + index} role="button" tabindex={index === chosen ? 0 : -1} aria-pressed={index === chosen}
          aria-label={`Size ${law.size}, error ${number(law.nmse)}: ${law.formula}`}
          class={"law-point" + (index === chosen ? " chosen" : "") + (law.chosen ? " best" : "")}
          onClick={() => choose(index)}
          onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(index); } else move(event, place); }}>
          <circle class="target" cx={px(law.size)} cy={py(logs[place])} r={reach(place)} />
          <circle cx={px(law.size)} cy={py(logs[place])} r={index === chosen ? 7 : 5} />
          <title>{law.formula}</title>
        </g>
      ))}
    </svg>
  );
}
