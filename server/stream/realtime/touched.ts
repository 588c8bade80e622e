import type { Socket } from "socket.io";
import { MANY_NAMES } from "../../../db/wake/touches.ts";
import { readSessionTotals } from "../../resources/recorded/totals.ts";
import type { Runtime } from "../../runtime.ts";

/** Sends the ids of recorded sessions with new events to subscribed sockets. */
export interface TouchedSessionPublisher {
  /** Subscribes a socket until the socket is closed. */
  tell(socket: Socket, organizationId: string): void;
  close(): void;
}

interface Followed {
  sockets: Set<Socket>;
  /** Sessions with new events since the last message. */
  touched: Set<string>;
  busy: boolean;
}

/** Minimum time between two messages of one organization, in ms. */
const INTERVAL_MS = 500;
/** Maximum sessions per message. `more` reports that further sessions changed. */
const MOST = 20;

/**
 * Sends `session.touched` (docs/realtime.md), which is not part of the change log: lost messages are not sent again,
 * and a client that reconnects queries /graphql. Organizations without a socket on this server cost nothing.
 */
export function createTouchedSessionPublisher(runtime: Pick<Runtime, "db" | "log">): TouchedSessionPublisher {
  const followed = new Map<string, Followed>();
  const hear = (organizationId: string, name: string) => {
    const one = followed.get(organizationId);
    if (!one) return;
    if (one.touched.size <= MOST) one.touched.add(name);
    if (!one.busy) void send(runtime, organizationId, one);
  };
  // Ingestion calls every listener for each session, so this process subscribes only while sockets are connected.
  let stop: (() => void) | undefined;
  const close = () => {
    stop?.();
    stop = undefined;
  };
  return {
    tell(socket, organizationId) {
      const one = followed.get(organizationId) ?? { sockets: new Set(), touched: new Set(), busy: false };
      followed.set(organizationId, one);
      stop ??= runtime.db.wake.onTouch(hear);
      one.sockets.add(socket);
      socket.once("disconnect", () => {
        one.sockets.delete(socket);
        if (one.sockets.size > 0) return;
        followed.delete(organizationId);
        if (followed.size === 0) close();
      });
    },
    close,
  };
}

/** Sends the collected sessions. After each interval, sends the sessions collected meanwhile. */
async function send({ db, log }: Pick<Runtime, "db" | "log">, organizationId: string, one: Followed): Promise<void> {
  one.busy = true;
  while (one.touched.size > 0 && one.sockets.size > 0) {
    const names = [...one.touched];
    one.touched.clear();
    const more = names.includes(MANY_NAMES) || names.length > MOST;
    const ids = names.filter((name) => name !== MANY_NAMES).slice(0, MOST);
    try {
      const sessions = await readSessionTotals(db, organizationId, ids);
      for (const socket of one.sockets) socket.emit("session.touched", { organizationId, sessions, more });
    } catch (error) {
      log.debug({ err: error }, "counts of a touched session could not be read; the next event sends them");
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS).unref());
  }
  one.touched.clear();
  one.busy = false;
}
