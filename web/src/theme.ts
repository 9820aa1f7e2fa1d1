// Light or dark: as the system says, or as chosen here.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "lamarck-theme";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>("system");

export function applyTheme(): void {
  const kept = localStorage.getItem(KEY) as Theme | null;
  setTheme(kept && THEMES.includes(kept) ? kept : "system");
}

function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  localStorage.setItem(KEY, next);
}

export const nextTheme = (): void => setTheme(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]);

// The value of a color of the style sheet, for canvases.
export function color(name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
