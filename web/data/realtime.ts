import { effect, signal } from "@preact/signals";
import type { Socket } from "socket.io-client";
import { accessToken, ended, refused, session } from "./session.ts";

/** True if what happens arrives by itself; undefined while it is being set up. */
export const live = signal<boolean | undefined>(undefined);

/** Sessions that got events, as `session.touched` tells. */
export interface Touched {
  sessions: { id: string; totals: { events: number; failures: number; turns: number; toolCalls: number } }[];
  /** True if there were too many to name. */
  more: boolean;
}

type Listener = (payload: never) => void;

const listeners = new Map<string, Set<Listener>>();
let socket: Socket | undefined;

/** Called when the connection stands, also the first time: what came since the page was read is to be asked for. */
export const RESUMED = "resumed";
/** Called with every entry of the change log. */
export const CHANGED = "changed";

/** Listens to `session.touched`, to RESUMED, or to CHANGED. Returns the way to stop. */
export function listen<Payload>(event: string, listener: (payload: Payload) => void): () => void {
  const set = listeners.get(event) ?? new Set();
  listeners.set(event, set);
  set.add(listener as Listener);
  return () => set.delete(listener as Listener);
}

const tell = (event: string, payload: unknown): void => {
  for (const listener of listeners.get(event) ?? []) listener(payload as never);
};

/** Connects while somebody is signed in. The client is loaded after the page stands. */
export function startRealtime(): void {
  effect(() => {
    const organization = session.value?.organization?.id;
    socket?.disconnect();
    socket = undefined;
    if (organization) void connect(organization);
  });
}

async function connect(organization: string): Promise<void> {
  const { io } = await import("socket.io-client");
  if (session.peek()?.organization?.id !== organization || socket) return;
  let last = "";
  const opened = io({
    transports: ["websocket"],
    auth: (give) => {
      accessToken().then(
        (token) => {
          last = token;
          give({ token, sessions: true });
        },
        () => opened.disconnect(),
      );
    },
  });
  socket = opened;
  opened.on("connect", () => {
    live.value = true;
    tell(RESUMED, undefined);
  });
  opened.on("disconnect", (_, details) => {
    live.value = false;
    // The server refused the credential: it is asked if the login still counts.
    const context = (details as { context?: { code?: number } } | undefined)?.context;
    if (context?.code === 4401) {
      refused(last);
      void ended();
    }
  });
  opened.on("connect_error", (error) => {
    live.value = false;
    const { data } = error as { data?: { code?: string } };
    if (data?.code !== "AUTHENTICATION_ERROR") return;
    refused(last);
    void ended().then(() => setTimeout(() => opened === socket && opened.connect(), 1_000));
  });
  opened.onAny((event: string, payload: unknown) => {
    tell(event, payload);
    if (event !== "session.touched") tell(CHANGED, payload);
  });
}
