import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client";

/** Event as received: the name and the envelope. */
export interface ReceivedEvent {
  event: string;
  envelope: any;
}

/** Stock client with the events that the client received. */
export interface RealtimeListener {
  socket: Socket;
  heard: ReceivedEvent[];
  /** Waits until `done` returns true for the received events. */
  until(done: (heard: ReceivedEvent[]) => boolean): Promise<ReceivedEvent[]>;
  /** Waits for the socket's next reserved event, such as disconnect. Returns the event's arguments. */
  next(event: string): Promise<any[]>;
}

const open: Socket[] = [];

/**
 * Closes every socket that these helpers opened. Each file that opens a socket calls the function in an `after` hook.
 */
export function closeSockets(): void {
  for (const socket of open.splice(0)) socket.disconnect();
}

/** Opens a socket with `auth`, without waiting for the connection. */
function dial(url: string, auth: object, options: Partial<ManagerOptions & SocketOptions> = {}): RealtimeListener {
  const socket = io(url, { auth, transports: ["websocket"], reconnection: false, forceNew: true, ...options });
  open.push(socket);
  const heard: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  socket.onAny((event, envelope) => {
    heard.push({ event, envelope });
    for (const look of waiting) look();
  });
  const next: RealtimeListener["next"] = (event) =>
    new Promise((resolve) => socket.once(event, (...args) => resolve(args)));
  const until: RealtimeListener["until"] = (done) =>
    new Promise((resolve) => {
      const look = () => {
        if (!done(heard)) return;
        waiting.delete(look);
        resolve(heard);
      };
      waiting.add(look);
      look();
    });
  return { socket, heard, until, next };
}

/** Opens a socket and waits until the server accepts the connection. */
export async function openSocket(
  url: string,
  auth: object,
  options: Partial<ManagerOptions & SocketOptions> = {},
): Promise<RealtimeListener> {
  const listener = dial(url, auth, options);
  await new Promise<void>((resolve, reject) => {
    listener.socket.once("connect", resolve);
    listener.socket.once("connect_error", reject);
  });
  return listener;
}

/** Opens a socket that the server must refuse. Returns the message and data of the error. */
export async function expectSocketRefusal(
  url: string,
  auth: object,
): Promise<{ message: string; data?: Record<string, unknown> }> {
  const [error] = await dial(url, auth).next("connect_error");
  return error;
}
