import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Database } from "../../../../db/open.ts";
import { switchesOf } from "../../../accounts/switches.ts";
import { NO_ID } from "../../../id.ts";
import type { Projector, Runtime } from "../../../runtime.ts";
import { inConnection } from "../../store/connection.ts";
import { isRefusal, isRepeat, isUnsupported } from "../../store/sqlstate.ts";
import { recentOf } from "../store/recent.ts";
import { createPace } from "./pace.ts";
import { type Projected, type ProjectOptions, projectSome } from "./transaction.ts";

/** A projector that ends with its process. */
export interface OwnProjector extends Projector {
  /** Resolves when no fold runs. */
  settled(): Promise<unknown>;
}

/** A read waits so long for what was committed before it. */
const PATIENCE_MS = 1_000;
/** Others' commits, and those of a server that was stopped, are looked for so often. */
const LEFT_BEHIND_MS = 1_000;
/**
 * A fold rests so many times as long as it took: what many bring is folded once. On a busy machine it takes long, and what
 * is committed just after it began waits for its end, the rest and the next fold: no longer than this, as far as a shorter
 * rest can help.
 */
const RESTS = 3;
const LONGEST_WAIT_MS = 200;

/** Makes the projector of this process. Any number of processes work beside each other. */
export function createProjector(
  { db, secret }: Pick<Runtime, "db" | "secret">,
  log: Logger,
  stopping: AbortSignal,
): OwnProjector {
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const pace = createPace();

  const projectOnce = async (organizationId: string): Promise<Projected> => {
    const options: ProjectOptions = {
      mayCopy: db.engine === "postgresql",
      mayGrow: true,
      notes: pace.notes(),
      skips: false,
      recent: recentOf(db),
    };
    const { prices } = await switchesOf({ db, secret }, organizationId);
    const projected = await inConnection(db, { queueClass: "short", tenant: organizationId }, async (client) => {
      for (;;) {
        const begun = performance.now();
        try {
          const some = await projectSome(client, { organizationId, now: Date.now(), prices }, options);
          pace.took(some.folded, performance.now() - begun);
          return some;
        } catch (error) {
          if (options.mayCopy && (isRepeat(error) || isUnsupported(error))) options.mayCopy = false;
          else if (options.mayGrow && isRefusal(error)) options.mayGrow = false;
          else if (options.notes > 1 && isRefusal(error)) options.notes = 1;
          else if (!options.skips && isRefusal(error)) {
            log.error({ err: error, organizationId }, "observations make no event that the database takes");
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
      .catch((error) => log.warn({ err: error }, "observations were not folded; tried again soon"))
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
    // A read does without what cannot be folded now, and neither waits for it nor fails with it.
    const folded = caughtUp().catch((error) => {
      log.warn({ err: error }, "observations were not folded before a read");
      return false;
    });
    return Promise.race([folded, sleep(PATIENCE_MS, false, { ref: false })]);
  };

  void followLeftBehind(db, soon, log, stopping);
  return { soon, catchUp, settled: () => Promise.all(running.values()) };
}

/** Raw SQL. Reports whether commits of an organization are not folded yet. */
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

/** Organizations that one search finds. */
const FOUND = 100;

/** Folds what a server left behind that was stopped between a commit and its fold. */
async function followLeftBehind(
  db: Database,
  soon: Projector["soon"],
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
      log.debug({ err: error }, "unfolded observations could not be looked for");
    }
  }
}
