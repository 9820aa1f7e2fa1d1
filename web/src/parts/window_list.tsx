// A long list that renders only the rows on the screen.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const EXTRA = 6; // Rows beyond the visible ones.

// The visible part of an element that the page or an ancestor scrolls.
export function useVisible(height: number): { box: { current: HTMLDivElement | null }; first: number; last: number } {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 40 });
  useEffect(() => {
    const update = () => {
      if (!box.current) return;
      const top = box.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(-top / height) - EXTRA);
      const last = Math.ceil((innerHeight - top) / height) + EXTRA;
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
    };
    update();
    addEventListener("scroll", update, { passive: true, capture: true });
    addEventListener("resize", update);
    return () => {
      removeEventListener("scroll", update, { capture: true });
      removeEventListener("resize", update);
    };
  }, [height]);
  return { box, ...range };
}

export function WindowList<T>(props: {
  rows: readonly T[]; height: number; label: string;
  keyOf: (row: T) => string | number; children: (row: T) => ComponentChildren;
}) {
  const { box, first, last } = useVisible(props.height);
  const shown = props.rows.slice(first, last);
  return (
    <div ref={box} class="window" role="list" aria-label={props.label} style={{ height: props.rows.length * props.height + "px" }}>
      {shown.map((row, i) => (
        <div key={props.keyOf(row)} role="listitem" class="window-row"
          aria-setsize={props.rows.length} aria-posinset={first + i + 1}
          style={{ top: (first + i) * props.height + "px", height: props.height + "px" }}>
          {props.children(row)}
        </div>
      ))}
    </div>
  );
}
