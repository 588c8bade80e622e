import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../api/request.ts";
import { Failure } from "../failure.ts";

/** The address of an import. */
export interface Target {
  url: string;
  ingestKey: string;
  /** Called while the server lets wait. */
  onWait(seconds: number): void;
}

/** Lines of a file, and where they go on. */
export interface Batch {
  lines: readonly string[];
  state: unknown;
  end: boolean;
  cwd: string | undefined;
  /** The session that no line names. */
  session: string | undefined;
}

/** The server's answer. */
export interface Taken {
  accepted: number;
  /** Lines that could not be read, and observations that were not kept, by their place in the batch. */
  bad: { line: number; reason: string }[];
  rejected: { line: number; reason: string }[];
  state: unknown;
}

/** A server that is busy or restarting is asked again so often. */
const TRIES = 30;
const MOST_WAIT_S = 30;

/** Reports whether the server is on this machine: packing what does not travel only takes time. */
const isHere = (url: string): boolean => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

/** Posts lines of an agent. The same ones again add nothing, so what was not answered is sent again. */
export async function send({ url, ingestKey, onWait }: Target, agent: string, batch: Batch): Promise<Taken> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask<Taken>(url, `/api/v1/transcripts/${agent}`, {
        method: "POST",
        body: batch,
        headers: { "x-api-key": ingestKey },
        repeatable: true,
        gzip: !isHere(url),
      });
    } catch (error) {
      const seconds = error instanceof Failure ? error.retryAfter : undefined;
      if (seconds === undefined || tries >= TRIES) throw error;
      const wait = Math.min(Math.max(seconds, 1), MOST_WAIT_S);
      if (wait > 1) onWait(wait);
      await sleep(wait * 1_000);
    }
  }
}
