// Small parts that every view uses.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Failure } from "../api";
import { words } from "../format";

export function State({ name }: { name: string }) {
  return <span class={"state state-" + name}>{words(name)}</span>;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Problem({ failure, retry }: { failure: Failure; retry?: () => void }) {
  const isMissing = failure.status === 404;
  return (
    <div class="problem" role="alert">
      <h2>{isMissing ? "Not found" : failure.status === 0 ? "No connection" : "This did not work"}</h2>
      <p>{failure.message}</p>
      {retry && <button type="button" onClick={retry}>Try again</button>}
    </div>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      <i /><i /><i />
    </div>
  );
}

// A share of something. `warns` colors it when little is left of a budget.
export function Meter({ value, limit, label, warns }: { value: number; limit: number; label: string; warns?: boolean }) {
  const share = limit > 0 ? Math.min(1, value / limit) : 0;
  return (
    <span class="meter" role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={limit} aria-valuenow={Math.min(value, limit)}>
      <i class={warns && share >= 0.8 ? "full" : ""} style={{ width: share * 100 + "%" }} />
    </span>
  );
}

export function Choice<T extends string>(props: {
  label: string; value: T; options: readonly (readonly [T, string])[]; choose: (value: T) => void;
}) {
  return (
    <div class="choice" role="group" aria-label={props.label}>
      {props.options.map(([value, text]) => (
        <button type="button" key={value} aria-pressed={value === props.value} onClick={() => props.choose(value)}>
          {text}
        </button>
      ))}
    </div>
  );
}

// A field whose text reaches `choose` when the typing pauses.
export function SearchField({ label, value, choose }: { label: string; value: string; choose: (text: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  useEffect(() => setText(value), [value]);
  const set = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => choose(next), 200);
  };
  return (
    <input type="search" class="search" aria-label={label} placeholder={label} value={text}
      onInput={(event) => set(event.currentTarget.value)} />
  );
}

export function CopyButton({ text, children }: { text: string; children: ComponentChildren }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" class="small" onClick={copy} title={text}>
      <span aria-live="polite">{done ? "Copied" : children}</span>
    </button>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Card(props: { title?: ComponentChildren; tools?: ComponentChildren; wide?: boolean; children: ComponentChildren }) {
  return (
    <section class={"card" + (props.wide ? " wide" : "")}>
      {props.title && (
        <header>
          <h2>{props.title}</h2>
          {props.tools && <div class="tools">{props.tools}</div>}
        </header>
      )}
      {props.children}
    </section>
  );
}

// An action that waits for the server and shows why it failed.
export function useAction(): { run: (action: () => Promise<unknown>) => Promise<void>; busy: boolean; failure: string } {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    setFailure("");
    try {
      await action();
    } catch (reason) {
      setFailure((reason as Error).message);
    }
    setBusy(false);
  };
  return { run, busy, failure };
}
