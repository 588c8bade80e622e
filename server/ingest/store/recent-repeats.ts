import { createCache } from "../../cache.ts";
import type { Submission } from "../commit/sink.ts";

/** Organizations that sent an id again a while ago, for which looking before storing is cheaper than failing. */
export interface RecentRepeats {
  among(submissions: readonly Submission[]): boolean;
  /** Remembers whom `error` names, or all of them. */
  note(submissions: readonly Submission[], error?: unknown): void;
}

const STAY_MS = 30_000;

/** Remembers nobody yet. */
export function recentRepeats(): RecentRepeats {
  const noted = createCache<true>({ name: "ingest-repeats", sizeOf: () => 1, ttl: STAY_MS });
  return {
    among(submissions) {
      return noted.size > 0 && submissions.some(({ key }) => noted.has(key.organizationId));
    },
    note(submissions, error) {
      const all = submissions.map(({ key }) => key.organizationId);
      // The detail of SQLSTATE 23505 lists the key: Key (organization_id, event_id)=(…, …) already exists.
      const detail = error instanceof Error && "detail" in error ? String(error.detail) : "";
      const named = all.filter((organization) => detail.includes(`(${organization},`));
      for (const organization of named.length > 0 ? named : all) noted.set(organization, true);
    },
  };
}
