import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Database } from "../../../../db/open.ts";
import { readRecordingSettings } from "../../../accounts/switches.ts";
import { NO_ID } from "../../../id.ts";
import type { EventProjector, Runtime } from "../../../runtime.ts";
import { withStoreConnection } from "../../store/connection.ts";
import { isCopyUnsupportedError, isRepeatedIdError, isRowError } from "../../store/sqlstate.ts";
import { getRecentObservationCache } from "../store/recent.ts";
import { createPace } from "./pace.ts";
import { type FoldOptions, type FoldResult, foldCommits } from "./transaction.ts";

/** Projector that ends when the projector's process ends. */
export interface ProcessProjector extends EventProjector {
  /** Resolves when no fold is running. */
  settled(): Promise<unknown>;
}

/** Maximum time that a read waits for earlier commits to be folded. */
const PATIENCE_MS = 1_000;
/**
 * Interval, in ms, at which the server searches for commits that no server has folded. Other servers or stopped servers
 * made the unfolded commits.
 */
const LEFT_BEHIND_MS = 1_000;
/**
 * After a fold, the projector pauses for RESTS times the duration of the fold, so that the next fold covers many
 * commits. A commit that arrives right after the start of a fold waits for the rest of the fold, the pause and the next
 * fold. The pause is therefore shortened to keep this wait within LONGEST_WAIT_MS if possible.
 */
const RESTS = 3;
const LONGEST_WAIT_MS = 200;

/** Creates the projector of the current process. Any number of processes can work concurrently. */
export function createProjector(
  { db, secret }: Pick<Runtime, "db" | "secret">,
  log: Logger,
  stopping: AbortSignal,
): ProcessProjector {
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const pace = createPace();

  const projectOnce = async (organizationId: string): Promise<FoldResult> => {
    const options: FoldOptions = {
      mayCopy: db.engine === "postgresql",
      mayGrow: true,
      notes: pace.notes(),
      skips: false,
      recent: getRecentObservationCache(db),
    };
    const { prices } = await readRecordingSettings({ db, secret }, organizationId);
    const projected = await withStoreConnection(db, { queueClass: "short", tenant: organizationId }, async (client) => {
      for (;;) {
        const begun = performance.now();
        try {
          const some = await foldCommits(client, { organizationId, now: Date.now(), prices }, options);
          pace.took(some.folded, performance.now() - begun);
          return some;
        } catch (error) {
          if (options.mayCopy && (isRepeatedIdError(error) || isCopyUnsupportedError(error))) options.mayCopy = false;
          else if (options.mayGrow && isRowError(error)) options.mayGrow = false;
          else if (options.notes > 1 && isRowError(error)) options.notes = 1;
          else if (!options.skips && isRowError(error)) {
            log.error({ err: error, organizationId }, "the database refused the event of some observations");
            options.skips = true;
          } else throw error;
        }
      }
    });
    for (const id of projected.sessions) db.wake.touch(organizationId, id);
    return projected;
  };

  const work = async (organizationId: string): Promise<void> => {
    for (let isMore = true; isMore && !stopping.aborted; ) {
      const began = performance.now();
      again.delete(organizationId);
      ({ isMore } = await projectOnce(organizationId));
      if (isMore) continue;
      const took = performance.now() - began;
      const rest = Math.max(0, Math.min(RESTS * took, LONGEST_WAIT_MS - 2 * took));
      await sleep(rest, undefined, { ref: false, signal: stopping }).catch(() => {});
      isMore = again.has(organizationId);
    }
  };

  const soon = (organizationId: string): void => {
    again.add(organizationId);
    if (running.has(organizationId) || stopping.aborted) return;
    const working = work(organizationId)
      .catch((error) => log.warn({ err: error }, "observations were not folded into events; the server will retry"))
      .finally(() => {
        running.delete(organizationId);
      });
    running.set(organizationId, working);
  };

  const catchUp = async (organizationId: string): Promise<boolean> => {
    if (!(await isBehind(db, organizationId))) return true;
    const until = performance.now() + PATIENCE_MS;
    const caughtUp = async () => {
      for (let isMore = true; isMore; ) {
        if (performance.now() > until) return false;
        ({ isMore } = await projectOnce(organizationId));
      }
      return true;
    };
    // If the commits cannot be folded now, the read continues without their events. The read does not fail, and does
    // not wait longer than PATIENCE_MS.
    const folded = caughtUp().catch((error) => {
      log.warn({ err: error }, "observations were not folded into events before a read");
      return false;
    });
    return Promise.race([folded, sleep(PATIENCE_MS, false, { ref: false })]);
  };

  void followLeftBehind(db, soon, log, stopping);
  return { soon, catchUp, settled: () => Promise.all(running.values()) };
}

/** Raw SQL. Returns true if an organization has commits that are not folded yet. */
async function isBehind(db: Database, organizationId: string): Promise<boolean> {
  const rows = await db.query({
    name: "observe-behind",
    text: "select from recorded_unfolded where organization_id = $1 limit 1",
    values: [organizationId],
    reads: ["recorded_unfolded"],
    writes: [],
  });
  return rows.length > 0;
}

/** Maximum organizations per search. */
const FOUND = 100;

/** Folds the commits of servers that stopped between a commit and its fold. */
async function followLeftBehind(
  db: Database,
  soon: EventProjector["soon"],
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  for (let after = NO_ID; !stopping.aborted; ) {
    await sleep(LEFT_BEHIND_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    try {
      const search = {
        text: `select distinct organization_id from recorded_unfolded where organization_id > $1
          and received_at < now() - interval '1 second' order by organization_id limit ${FOUND}`,
        values: [after],
      };
      const found = await db.as("upkeep", () => db.query<{ organization_id: string }>(search));
      for (const { organization_id } of found) soon(organization_id);
      after = found.length === FOUND ? (found.at(-1)?.organization_id ?? NO_ID) : NO_ID;
    } catch (error) {
      log.debug({ err: error }, "the check for unfolded observations failed");
    }
  }
}
