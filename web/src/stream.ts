// The one stream of this tab. It carries the numbers of new events; what they
// contain is read by cursor, so nothing is lost or seen twice, however often
// the connection breaks.
import { signal } from "@preact/signals";
import { authorization } from "./api";

export type Connection = "idle" | "connecting" | "live" | "lost";
export const connection = signal<Connection>("idle");
export const retryAt = signal(0); // Time of the next attempt while it is lost.

export interface Listener {
  path: string; // "/stream?run=ID".
  after: number;
  onEvents: (last: number) => void;
}

const SILENCE = 40_000; // The server sends a heartbeat every 15 s.
const SLOWEST = 10_000;
const POLL = 2_000; // For servers without a stream.

let listener: Listener | null = null;
let stop: AbortController | null = null;
let timer = 0;
let failures = 0;

export function listen(next: Listener): () => void {
  close();
  listener = next;
  failures = 0;
  if (!document.hidden) void connect();
  return () => {
    if (listener !== next) return;
    close();
    listener = null;
    connection.value = "idle";
  };
}

export function retryNow(): void {
  if (connection.value !== "lost") return;
  clearTimeout(timer);
  void connect();
}

function close(): void {
  clearTimeout(timer);
  stop?.abort();
  stop = null;
}

async function connect(): Promise<void> {
  const current = listener;
  if (!current) return;
  close();
  const mine = (stop = new AbortController());
  if (connection.value !== "lost") connection.value = "connecting";
  let watchdog = 0;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = window.setTimeout(() => mine.abort(), SILENCE);
  };
  try {
    alive();
    const joint = current.path.includes("?") ? "&" : "?";
    const reply = await fetch(`/api/v1${current.path}${joint}after=${current.after}`, {
      headers: { Accept: "text/event-stream", ...authorization() },
      signal: mine.signal,
      cache: "no-store",
    });
    if (reply.status === 404 || reply.status === 400) return poll(current, mine);
    if (!reply.ok || !reply.body) throw new Error("status " + reply.status);
    connection.value = "live";
    failures = 0;
    // What happened while the connection was lost.
    current.onEvents(current.after);
    await readAll(reply.body, current, alive);
  } catch {
    // The same as an end of the stream.
  } finally {
    clearTimeout(watchdog);
  }
  if (stop !== mine || listener !== current || document.hidden) return;
  lose(current);
}

function lose(current: Listener): void {
  failures += 1;
  const pause = Math.min(SLOWEST, 500 * 2 ** Math.min(failures - 1, 5));
  if (failures > 1 || connection.value !== "live") connection.value = "lost";
  retryAt.value = Date.now() + pause;
  timer = window.setTimeout(() => listener === current && void connect(), pause);
}

async function readAll(body: ReadableStream<Uint8Array>, current: Listener, alive: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    rest += decoder.decode(value, { stream: true }).replace(/\r\n/g, "\n");
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    let news = false;
    for (const block of blocks) news = take(block, current) || news;
    if (news) current.onEvents(current.after);
  }
}

// Returns whether the block is an event rather than a heartbeat.
function take(block: string, current: Listener): boolean {
  let isEvent = false;
  for (const line of block.split("\n")) {
    if (line.startsWith("id:")) current.after = Math.max(current.after, Number(line.slice(3)) || 0);
    if (line.startsWith("data:") || line.startsWith("event:")) isEvent = true;
  }
  return isEvent;
}

async function poll(current: Listener, mine: AbortController): Promise<void> {
  if (stop !== mine || listener !== current) return;
  try {
    const reply = await fetch("/health", { signal: mine.signal, cache: "no-store" });
    if (!reply.ok) throw new Error();
    connection.value = "live";
    failures = 0;
    current.onEvents(current.after);
  } catch {
    if (!mine.signal.aborted) connection.value = "lost";
  }
  retryAt.value = Date.now() + POLL;
  if (stop === mine) timer = window.setTimeout(() => void poll(current, mine), POLL);
}

// Browsers allow six connections per server over all tabs, so a hidden tab has
// none.
document.addEventListener("visibilitychange", () => {
  if (!listener) return;
  if (document.hidden) close();
  else void connect();
});
addEventListener("online", retryNow);
