import type { Socket } from "socket.io";
import { MANY } from "../../../db/wake/touches.ts";
import { totalsOf } from "../../resources/recorded/totals.ts";
import type { Runtime } from "../../runtime.ts";

/** Sends the ids of recorded sessions with new events to the sockets that asked for them. */
export interface TouchedSessions {
  /** From now on, until the socket is closed. */
  tell(socket: Socket, organizationId: string): void;
  close(): void;
}

interface Followed {
  sockets: Set<Socket>;
  /** Sessions touched since the last event. */
  touched: Set<string>;
  busy: boolean;
}

/** At most two events a second an organization. */
const INTERVAL_MS = 500;
/** Sessions that one event names; of more it says only that there are more. */
const MOST = 20;

/**
 * Sends `session.touched` (docs/realtime.md). It is no part of the change log: lost messages are not sent again, and a
 * client that reconnects asks /graphql. Nothing is counted for organizations without a socket here.
 */
export function followTouchedSessions(runtime: Pick<Runtime, "db" | "log">): TouchedSessions {
  const followed = new Map<string, Followed>();
  const hear = (organizationId: string, name: string) => {
    const one = followed.get(organizationId);
    if (!one) return;
    if (one.touched.size <= MOST) one.touched.add(name);
    if (!one.busy) void send(runtime, organizationId, one);
  };
  // Ingestion calls who listens for each session: it listens only while somebody here watches.
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

/** Sends the gathered sessions, and after the interval those gathered meanwhile. */
async function send({ db, log }: Pick<Runtime, "db" | "log">, organizationId: string, one: Followed): Promise<void> {
  one.busy = true;
  while (one.touched.size > 0 && one.sockets.size > 0) {
    const names = [...one.touched];
    one.touched.clear();
    const more = names.includes(MANY) || names.length > MOST;
    const ids = names.filter((name) => name !== MANY).slice(0, MOST);
    try {
      const sessions = await totalsOf(db, organizationId, ids);
      for (const socket of one.sockets) socket.emit("session.touched", { organizationId, sessions, more });
    } catch (error) {
      log.debug({ err: error }, "touched sessions not counted; the next event tells");
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS).unref());
  }
  one.touched.clear();
  one.busy = false;
}
