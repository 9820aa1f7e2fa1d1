// Numbers and times for people.

export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && size < 1e6) return String(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace(/\.?0*e\+?/, "e");
  return String(Number(value.toPrecision(digits)));
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toLocaleString("en-US");
}

// A normalized error. What is below the limit is the rounding of an exact law.
export const ROUNDING = 1e-20;
export const errorText = (value: number | null | undefined): string =>
  value !== null && value !== undefined && Math.abs(value) < ROUNDING ? "0 (exact)" : number(value);

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : (value * 100).toFixed(value > 0.995 && value < 1 ? 1 : 0) + " %";
}

export function bytes(value: number): string {
  if (value < 1000) return value + " B";
  if (value < 1e6) return (value / 1e3).toFixed(value < 1e4 ? 1 : 0) + " KB";
  return (value / 1e6).toFixed(1) + " MB";
}

export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (milliseconds < 1) return "under 1 ms";
  if (seconds < 1) return Math.round(milliseconds) + " ms";
  if (seconds < 60) return seconds.toFixed(seconds < 10 ? 1 : 0) + " s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function time(value: number | string | null | undefined): number {
  if (!value) return 0;
  return typeof value === "number" ? value : Date.parse(value);
}

export function ago(value: number | string | null | undefined, now: number): string {
  const at = time(value);
  if (!at) return "never";
  const seconds = Math.max(0, (now - at) / 1000);
  if (seconds < 10) return "just now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

export function clock(value: number | string): string {
  return new Date(time(value)).toLocaleString("en-GB", {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit",
  });
}

// "race_lost" -> "race lost".
const SHORT: Record<string, string> = { nmse: "NMSE", rmse: "RMSE", mse: "MSE", mae: "MAE", r2: "R²" };
export const words = (name: string): string => SHORT[name] ?? name.replace(/_/g, " ");

export const plural = (n: number, one: string, many = one + "s"): string => `${count(n)} ${n === 1 ? one : many}`;

// A setting as a person would write it: lists without brackets.
export const setting = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(setting).join(", ") : JSON.stringify(value);
