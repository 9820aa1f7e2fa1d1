// Goes to any event of a history. Without a chosen event the view is live and
// follows the newest one; new events never move a chosen one.
import { useEffect, useState } from "preact/hooks";
import { count } from "../format";
import { change, param } from "../router";

// The event of the address, or 0 for the newest.
export const chosenEvent = (): number => Number(param("at")) || 0;

const STEP_TIME = 350;

export function TimeSlider({ newest, label, note, marks }: {
  newest: number; label: string; note?: string; marks?: readonly number[];
}) {
  const at = chosenEvent();
  const shown = at ? Math.min(at, newest) : newest;
  const [plays, setPlays] = useState(false);
  const go = (event: number) => change({ at: event >= newest ? newest : Math.max(1, event) });
  // The next event of interest in either direction.
  const step = (direction: 1 | -1) => {
    const list = marks?.length ? marks : null;
    if (!list) return go(shown + direction);
    const next = direction > 0 ? list.find((m) => m > shown) : [...list].reverse().find((m) => m < shown);
    go(next ?? (direction > 0 ? newest : 1));
  };
  useEffect(() => {
    if (!plays) return;
    if (shown >= newest) return setPlays(false);
    const timer = setTimeout(() => step(1), STEP_TIME);
    return () => clearTimeout(timer);
  }, [plays, shown, newest]);
  if (newest < 1) return null;
  const play = () => {
    if (!plays && shown >= newest) go(1);
    setPlays(!plays);
  };
  return (
    <div class="slider" role="group" aria-label={label}>
      <button type="button" class="icon" onClick={play} aria-label={plays ? "Pause" : "Play from here"}>
        <svg viewBox="0 0 16 16" aria-hidden="true">{plays ? <path d="M4 3h3v10H4zM9 3h3v10H9z" /> : <path d="M4 2.5v11l9-5.5z" />}</svg>
      </button>
      <button type="button" class="icon" onClick={() => step(-1)} disabled={shown <= 1} aria-label="One step back">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M10.5 3 5.5 8l5 5" class="line" /></svg>
      </button>
      <button type="button" class="icon" onClick={() => step(1)} disabled={shown >= newest} aria-label="One step forward">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m5.5 3 5 5-5 5" class="line" /></svg>
      </button>
      <input type="range" min={1} max={newest} value={shown} aria-label={label}
        aria-valuetext={`Event ${shown} of ${newest}`}
        onInput={(event) => { setPlays(false); go(Number(event.currentTarget.value)); }} />
      <output>{count(shown)} <span>/ {count(newest)}</span></output>
      {note && <span class="slider-note">{note}</span>}
      <button type="button" class={"live" + (at ? "" : " on")} aria-pressed={!at} onClick={() => { setPlays(false); change({ at: null }); }}>Live</button>
    </div>
  );
}
