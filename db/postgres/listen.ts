import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Statement } from "../database.ts";

/** A connection that listens on a channel, and is made anew whenever it is lost. */
export interface Listener {
  /** Runs a statement on the same connection; while there is none, it is dropped. Never throws. */
  send(statement: Statement): void;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Listens on `channel` and calls `onPayload` with what other sessions send. */
export function listen(settings: pg.ClientConfig, channel: string, onPayload: (payload: string) => void): Listener {
  let current: pg.Client | undefined;
  let closed = false;

  const keepListening = async () => {
    for (let wait = FIRST_PAUSE_MS; !closed; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const client = new pg.Client({ ...settings, keepAliveInitialDelayMillis: 10_000 });
      const lost = new Promise((resolve) => client.once("error", resolve).once("end", resolve));
      client
        .on("error", () => {})
        .on("notification", ({ processId, payload }) => {
          if (processId !== Reflect.get(client, "processID")) onPayload(payload ?? "");
        });
      try {
        await client.connect();
        await client.query(`listen ${channel}`);
        current = client;
        wait = FIRST_PAUSE_MS;
        if (!closed) await lost;
      } catch {
        // The next round tries again.
      }
      current = undefined;
      await client.end().catch(() => {});
      if (!closed) await pause(wait, undefined, { ref: false });
    }
  };

  void keepListening();
  return {
    send: ({ values = [], ...rest }) => void current?.query({ ...rest, values: [...values] }).catch(() => {}),
    async close() {
      closed = true;
      await current?.end();
    },
  };
}
