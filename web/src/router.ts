// The address is the view: path and query are the only place where filters,
// selections and zooms live.
import { signal, computed } from "@preact/signals";

const here = () => location.pathname + location.search;
const address = signal(here());

export const path = computed(() => address.value.split("?")[0]);
export const query = computed(() => new URLSearchParams(address.value.split("?")[1] ?? ""));

addEventListener("popstate", () => (address.value = here()));

// Opens another view, which starts at its top.
export function open(target: string): void {
  if (target === here()) return;
  history.pushState(null, "", target);
  address.value = here();
  scrollTo(0, 0);
}

// Changes parts of the query and keeps the rest; null removes a part. A change
// that a person would not go back to replaces the entry of the history.
export function change(parts: Record<string, string | number | null>, keeps = false): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parts)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, String(value));
  }
  const text = next.toString();
  const target = location.pathname + (text ? "?" + text : "");
  if (target === here()) return;
  if (keeps) history.pushState(null, "", target);
  else history.replaceState(null, "", target);
  address.value = here();
}

export const param = (name: string): string => query.value.get(name) ?? "";

// Lets links of the page open without loading it again.
export function follow(event: MouseEvent): void {
  const link = (event.target as Element).closest?.("a");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin) return;
  if (link.hasAttribute("download") || link.target || link.pathname.startsWith("/api/")) return;
  if (link.hash && link.pathname === location.pathname) return;
  event.preventDefault();
  open(link.pathname + link.search);
}
