// Calls of /api/v1. A failed call throws a Failure whose message is for people.
import { signal } from "@preact/signals";

const TOKEN = "lamarck-token";

// Whether the server wants a token that we do not have.
export const needsToken = signal(false);

export class Failure extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
  needsToken.value = false;
}

export function authorization(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: "Bearer " + token } : {};
}

const UNREACHABLE = "The server cannot be reached. Check that `lamarck serve` is running.";

async function send(path: string, init: RequestInit): Promise<Response> {
  let reply: Response;
  try {
    reply = await fetch("/api/v1" + path, {
      ...init,
      headers: { ...authorization(), ...(init.headers as Record<string, string>) },
    });
  } catch (reason) {
    if ((reason as Error).name === "AbortError") throw reason;
    throw new Failure(UNREACHABLE, 0);
  }
  if (reply.status === 401) needsToken.value = true;
  return reply;
}

async function read<T>(reply: Response): Promise<T> {
  const text = await reply.text();
  let body: { success?: boolean; data?: T; error?: { message?: string } } = {};
  try {
    body = JSON.parse(text);
  } catch {
    // Requests that are too large or malformed are refused with plain text.
    const isPlain = reply.headers.get("Content-Type")?.startsWith("text/plain");
    throw new Failure((isPlain && text.trim()) || `The server replied with status ${reply.status} and no JSON.`, reply.status);
  }
  if (!reply.ok || !body.success) {
    throw new Failure(body.error?.message ?? `The server replied with status ${reply.status}.`, reply.status);
  }
  return body.data as T;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return read<T>(await send(path, { signal }));
}

export async function post<T>(path: string, body?: unknown): Promise<T> {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return read<T>(await send(path, { method: "POST", ...json }));
}

export async function remove<T>(path: string): Promise<T> {
  return read<T>(await send(path, { method: "DELETE" }));
}

export async function upload<T>(path: string, body: Blob, type: string): Promise<T> {
  return read<T>(await send(path, { method: "POST", body, headers: { "Content-Type": type } }));
}

// A file of the server, with the token that a plain link could not send.
export async function download(path: string, name: string): Promise<void> {
  const reply = await send(path, {});
  if (!reply.ok) await read(reply);
  const address = URL.createObjectURL(await reply.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A JSON file of the server.
export async function getFile<T>(path: string, signal?: AbortSignal): Promise<T> {
  const reply = await send(path, { signal });
  if (!reply.ok) return read<T>(reply);
  return (await reply.json()) as T;
}

export const queryText = (parts: Record<string, string | number | undefined | null>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text ? "?" + text : "";
};
