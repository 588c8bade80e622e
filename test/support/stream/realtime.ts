import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client";

/** An event as it arrived: its name and the envelope. */
export interface Heard {
  event: string;
  envelope: any;
}

/** A stock client, and the events that it received. */
export interface Listener {
  socket: Socket;
  heard: Heard[];
  /** Waits until `done` is true of the received events. */
  until(done: (heard: Heard[]) => boolean): Promise<Heard[]>;
  /** Waits for the socket's next reserved event, such as disconnect; answers its arguments. */
  next(event: string): Promise<any[]>;
}

const open: Socket[] = [];

/** Ends every socket these helpers opened; an `after` hook of each file that uses them. */
export function closeSockets(): void {
  for (const socket of open.splice(0)) socket.disconnect();
}

/** Opens a socket with `auth`, without waiting for it. */
function dial(url: string, auth: object, options: Partial<ManagerOptions & SocketOptions> = {}): Listener {
  const socket = io(url, { auth, transports: ["websocket"], reconnection: false, forceNew: true, ...options });
  open.push(socket);
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  socket.onAny((event, envelope) => {
    heard.push({ event, envelope });
    for (const look of waiting) look();
  });
  const next: Listener["next"] = (event) => new Promise((resolve) => socket.once(event, (...args) => resolve(args)));
  const until: Listener["until"] = (done) =>
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

/** Opens a socket and waits until it is let in. */
export async function listen(
  url: string,
  auth: object,
  options: Partial<ManagerOptions & SocketOptions> = {},
): Promise<Listener> {
  const listener = dial(url, auth, options);
  await new Promise<void>((resolve, reject) => {
    listener.socket.once("connect", resolve);
    listener.socket.once("connect_error", reject);
  });
  return listener;
}

/** Opens a socket that must be refused; answers the error's message and data. */
export async function refusal(url: string, auth: object): Promise<{ message: string; data?: Record<string, unknown> }> {
  const [error] = await dial(url, auth).next("connect_error");
  return error;
}
