// The list of thought sessions.
import { useEffect, useState } from "preact/hooks";
import { get, queryText } from "../api";
import { ago, count } from "../format";
import { useLoad, useNow, useThrottled } from "../load";
import { Choice, Empty, Loading, Problem, SearchField, State } from "../parts/basics";
import { WindowList } from "../parts/window_list";
import { change, param } from "../router";
import { listen } from "../stream";
import type { Thought } from "../types";

interface Page { items: Thought[]; next_cursor: string | null }

const STATES = [["", "All"], ["active", "Active"], ["paused", "Paused"], ["completed", "Completed"], ["failed", "Failed"]] as const;
const PAGE = 200;

export function Thoughts() {
  const filter = { q: param("q"), state: param("state"), limit: PAGE };
  const first = useLoad<Page>("/thoughts" + queryText(filter));
  const [more, setMore] = useState<Thought[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const now = useNow();
  const reload = useThrottled(first.reload, 1000);
  useEffect(() => listen({ path: "/stream", after: 0, onEvents: reload }), []);
  useEffect(() => {
    if (more.length === 0) setCursor(first.data?.next_cursor ?? null);
  }, [first.data]);
  useEffect(() => setMore([]), [filter.q, filter.state]);
  const loadMore = async () => {
    const page = await get<Page>("/thoughts" + queryText({ ...filter, cursor }));
    setMore([...more, ...page.items]);
    setCursor(page.next_cursor);
  };
  const seen = new Set(first.data?.items.map((item) => item.id));
  const rows = [...(first.data?.items ?? []), ...more.filter((item) => !seen.has(item.id))];
  return (
    <>
      <header class="head">
        <div>
          <h1>Thoughts</h1>
          <p>Sessions in which a plan is thought through, branch by branch, and checked against evidence.</p>
        </div>
      </header>
      <div class="bar">
        <SearchField label="Search goals" value={filter.q} choose={(q) => change({ q })} />
        <Choice label="State" value={filter.state} options={STATES} choose={(state) => change({ state })} />
      </div>
      {first.failure && <Problem failure={first.failure} retry={first.reload} />}
      {!first.data && !first.failure && <Loading />}
      {first.data && rows.length === 0 && (filter.q || filter.state ? (
        <Empty title="No session matches"><p><a href="/thoughts">Remove the filters</a> to see all.</p></Empty>
      ) : (
        <Empty title="No thought session yet">
          <p>Sessions are started by an MCP client, such as an editor or an agent. Connect one to <code>{location.origin}/mcp</code>, or print its configuration:</p>
          <pre>lamarck mcp --print-config claude</pre>
        </Empty>
      ))}
      {rows.length > 0 && (
        <div class="card list">
          <WindowList rows={rows} height={64} label="Thought sessions" keyOf={(row) => row.id}>
            {(row) => (
              <a class="list-row thought-row" href={"/thoughts/" + row.id}>
                <span class="list-main">
                  <b class="clip">{row.goal || "No goal"}</b>
                  <span class="muted tiny clip mono">{row.id}</span>
                </span>
                <State name={row.state} />
                <span class="tiny muted number">{count(row.events)} events</span>
                <span class="tiny muted number">{ago(row.updated, now)}</span>
              </a>
            )}
          </WindowList>
          {cursor && <button type="button" class="more" onClick={loadMore}>Show more</button>}
        </div>
      )}
    </>
  );
}
