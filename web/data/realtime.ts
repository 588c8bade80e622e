import { effect, signal } from "@preact/signals";
import type { Socket } from "socket.io-client";
import { currentLogin, discardAccessToken, getValidAccessToken, recheckLogin } from "./session.ts";

/** True while realtime is connected; undefined until the first attempt ends. */
export const isRealtimeConnected = signal<boolean | undefined>(undefined);

/** Payload of `session.touched`: sessions with new events. */
export interface TouchedSessionsPayload {
  sessions: { id: string; totals: { events: number; failures: number; turns: number; toolCalls: number } }[];
  /** True if the list of sessions is incomplete. */
  more: boolean;
}

type Listener = (payload: never) => void;

const listeners = new Map<string, Set<Listener>>();
let socket: Socket | undefined;

/**
 * Event after each connect, including the first. Listeners then read their data again, because changes before the
 * connect were not received.
 */
export const REALTIME_CONNECTED_EVENT = "resumed";
/** Event for each entry of the change log. */
export const CHANGE_LOG_EVENT = "changed";

/** Subscribes to `session.touched`, REALTIME_CONNECTED_EVENT or CHANGE_LOG_EVENT. Returns a function that unsubscribes. */
export function subscribeToRealtimeEvent<Payload>(event: string, listener: (payload: Payload) => void): () => void {
  const set = listeners.get(event) ?? new Set();
  listeners.set(event, set);
  set.add(listener as Listener);
  return () => set.delete(listener as Listener);
}

const notifyListeners = (event: string, payload: unknown): void => {
  for (const listener of listeners.get(event) ?? []) listener(payload as never);
};

/** Connects while a user is signed in. Loads the socket client after the first render. */
export function startRealtime(): void {
  effect(() => {
    const organization = currentLogin.value?.organization?.id;
    socket?.disconnect();
    socket = undefined;
    if (organization) void connect(organization);
  });
}

async function connect(organization: string): Promise<void> {
  const { io } = await import("socket.io-client");
  if (currentLogin.peek()?.organization?.id !== organization || socket) return;
  let last = "";
  const opened = io({
    transports: ["websocket"],
    auth: (give) => {
      getValidAccessToken().then(
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
    isRealtimeConnected.value = true;
    notifyListeners(REALTIME_CONNECTED_EVENT, undefined);
  });
  opened.on("disconnect", (_, details) => {
    isRealtimeConnected.value = false;
    // The server rejected the token: ask the server whether the login is still valid.
    const context = (details as { context?: { code?: number } } | undefined)?.context;
    if (context?.code === 4401) {
      discardAccessToken(last);
      void recheckLogin();
    }
  });
  opened.on("connect_error", (error) => {
    isRealtimeConnected.value = false;
    const { data } = error as { data?: { code?: string } };
    if (data?.code !== "AUTHENTICATION_ERROR") return;
    discardAccessToken(last);
    void recheckLogin().then(() => setTimeout(() => opened === socket && opened.connect(), 1_000));
  });
  opened.onAny((event: string, payload: unknown) => {
    notifyListeners(event, payload);
    if (event !== "session.touched") notifyListeners(CHANGE_LOG_EVENT, payload);
  });
}
