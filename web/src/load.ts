// Data that a view reads from the server: keeps what it has while it reads
// again, so new data never empties the view.
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, get, needsToken } from "./api";
import { connection } from "./stream";

export interface Loaded<T> {
  data: T | null;
  failure: Failure | null;
  reload: () => void;
  set: (data: T) => void;
}

// Reads `path` again whenever it changes; null reads nothing.
export function useLoad<T>(path: string | null): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; data: T | null; failure: Failure | null }>({
    path: null, data: null, failure: null,
  });
  const [round, setRound] = useState(0);
  const asked = needsToken.value;
  const isLive = connection.value === "live";
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    get<T>(path, stop.signal).then(
      (data) => setState({ path, data, failure: null }),
      (failure) => {
        if (failure.name !== "AbortError") setState((old) => ({ path, data: old.data, failure }));
      },
    );
    return () => stop.abort();
  }, [path, round, asked]);
  // A failure for want of a connection ends when the connection is back.
  useEffect(() => {
    if (isLive && state.failure?.status === 0) setRound((n) => n + 1);
  }, [isLive]);
  return {
    data: path === null ? null : state.data,
    failure: state.path === path ? state.failure : null,
    reload: () => setRound((n) => n + 1),
    set: (data) => setState({ path, data, failure: null }),
  };
}

// Calls `action` now, or soon if it was called less than `pause` ms ago.
export function useThrottled(action: () => void, pause: number): () => void {
  const latest = useRef(action);
  latest.current = action;
  const state = useRef({ last: 0, timer: 0 });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useRef(() => {
    const now = performance.now();
    clearTimeout(state.current.timer);
    const run = () => {
      state.current.last = performance.now();
      latest.current();
    };
    const wait = state.current.last + pause - now;
    if (wait <= 0) run();
    else state.current.timer = window.setTimeout(run, wait);
  }).current;
}

// The time, updated every few seconds; it stops while the stream is lost, so
// that "5 s ago" never counts what we cannot see.
export function useNow(pause = 5000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => connection.peek() !== "lost" && setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [pause]);
  return now;
}
