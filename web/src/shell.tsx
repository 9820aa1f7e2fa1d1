// The frame around every view: navigation, the state of the connection, the
// token, and the view that the address names.
import { useEffect, useRef, useState } from "preact/hooks";
import { needsToken, setToken } from "./api";
import { lazy } from "./lazy";
import { Empty } from "./parts/basics";
import { follow, path } from "./router";
import { connection, retryAt, retryNow } from "./stream";
import { nextTheme, theme } from "./theme";
import { Overview } from "./views/overview";

const RunView = lazy<{ id: string }>(() => import("./views/run").then((m) => m.RunView));
const Compare = lazy<{}>(() => import("./views/compare").then((m) => m.Compare));
const Thoughts = lazy<{}>(() => import("./views/thoughts").then((m) => m.Thoughts));
const ThoughtSession = lazy<{ id: string }>(() => import("./views/thought_session").then((m) => m.ThoughtSession));
const Skills = lazy<{}>(() => import("./views/skills").then((m) => m.Skills));
const SkillView = lazy<{ id: string }>(() => import("./views/skill").then((m) => m.SkillView));
const Agent = lazy<{}>(() => import("./views/agent").then((m) => m.Agent));

const LINKS = [
  { to: "/", name: "Runs", shape: "M2 13 6 8l3 3 5-7" },
  { to: "/thoughts", name: "Thoughts", shape: "M8 2v5M8 7 4 11v3M8 7l4 4v3" },
  { to: "/skills", name: "Skills", shape: "m8 2 1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z" },
  { to: "/agent", name: "Agent", shape: "M2.5 3.5h11v7h-6l-3 3v-3h-2z" },
];

const isCurrent = (to: string, now: string): boolean =>
  to === "/" ? now === "/" || now.startsWith("/runs") || now === "/compare" : now.startsWith(to);

function view(now: string) {
  const [, first, id] = now.split("/").map(decodeURIComponent);
  if (now === "/" || (first === "runs" && !id)) return <Overview />;
  if (first === "runs") return <RunView id={id} key={id} />;
  if (first === "compare") return <Compare />;
  if (first === "thoughts") return id ? <ThoughtSession id={id} key={id} /> : <Thoughts />;
  if (first === "skills") return id ? <SkillView id={id} key={id} /> : <Skills />;
  if (first === "agent") return <Agent />;
  return (
    <Empty title="Nothing is here">
      <p>This address names no view. <a href="/">Go to the runs.</a></p>
    </Empty>
  );
}

export function Shell() {
  const now = path.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // After a change of the view, a screen reader and the keyboard start there.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [now]);
  return (
    <div class="shell" onClick={follow}>
      <a class="skip" href="#main">Skip to the content</a>
      <nav class="side" aria-label="Main">
        <a class="brand" href="/" aria-label="Lamarck, all runs">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M9 24V13M9 13l7-5M9 18l13-5" />
            <circle cx="9" cy="24" r="3" /><circle cx="17" cy="7.5" r="3" /><circle cx="23" cy="13" r="3" />
          </svg>
          <span>Lamarck</span>
        </a>
        <ul>
          {LINKS.map(({ to, name, shape }) => (
            <li key={to}>
              <a href={to} aria-current={isCurrent(to, now) ? "page" : undefined}>
                <svg viewBox="0 0 16 16" aria-hidden="true"><path d={shape} /></svg>
                {name}
              </a>
            </li>
          ))}
        </ul>
        <div class="side-end">
          <ConnectionState />
          <button type="button" class="plain" onClick={nextTheme} aria-label={`Theme: ${theme.value}. Change`} title={`Theme: ${theme.value}`}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5" /><path class="half" d="M8 2.5a5.5 5.5 0 0 1 0 11z" /></svg>
          </button>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <LostBanner />
        {needsToken.value ? <TokenForm /> : view(now)}
      </main>
    </div>
  );
}

const STATES = {
  idle: "Not following", connecting: "Connecting", live: "Live", lost: "Connection lost",
} as const;

function ConnectionState() {
  const state = connection.value;
  return <span class={"connection " + state} role="status"><i />{STATES[state]}</span>;
}

// Says when the connection is lost, and once when it is back.
function LostBanner() {
  const state = connection.value;
  const was = useRef(false);
  const [isBack, setBack] = useState(false);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (state === "lost") {
      was.current = true;
      setBack(false);
      const timer = setInterval(() => setNow(Date.now()), 500);
      return () => clearInterval(timer);
    }
    if (state !== "live" || !was.current) return;
    was.current = false;
    setBack(true);
    const timer = setTimeout(() => setBack(false), 4000);
    return () => clearTimeout(timer);
  }, [state]);
  if (state === "lost") {
    const seconds = Math.max(0, Math.ceil((retryAt.value - now) / 1000));
    return (
      <div class="banner lost" role="status">
        <span>Connection lost. What you see is from before. {seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again."}</span>
        <button type="button" class="small" onClick={retryNow}>Try now</button>
      </div>
    );
  }
  return isBack ? <div class="banner back" role="status">Connected again; nothing was missed.</div> : null;
}

function TokenForm() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form class="token card" onSubmit={(event) => { event.preventDefault(); setToken(field.current!.value.trim()); }}>
      <h1>This server asks for a token</h1>
      <p>Create one on the server with <code>lamarck serve token create</code>. It stays in this tab.</p>
      <label>Token <input ref={field} type="password" autocomplete="off" required /></label>
      <button type="submit" class="primary">Continue</button>
    </form>
  );
}
