import { setTimeout } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import { type Repaired, repairOrganization } from "../../../server/jobs/derived/repair.ts";
import { someOf } from "../run/runs.ts";
import { sharedServer } from "../server.ts";

/** Repairs what is derived for an organization of the shared server. Answers what was repaired. */
export const repairOf = async (organizationId: string): Promise<Repaired> =>
  repairOrganization((await sharedServer()).runtime, organizationId);

/** Organizations whose rows a test wrote or changed by SQL: what is derived for them need not be right. */
const byHand = new Set<string>();

/** Notes such an organization. */
export const writtenByHand = (organizationId: string): unknown => byHand.add(organizationId);

/** Organizations of earlier runs, which a database may keep, are not compared. */
let compared = uuidv7();

/** So long a busy database may refuse the comparison, in ms. */
const PATIENCE_MS = 120_000;

/**
 * Compares what is derived for the organizations made since this was last asked, or for a share of them. Answers what was
 * wrong, whatever wrote it.
 */
export async function repairNew(): Promise<Repaired> {
  const { db } = (await sharedServer()).runtime;
  const text = "select id from organization where id > $1 order by id";
  const deadline = Date.now() + PATIENCE_MS;
  const all: Repaired = {};
  const made = await untilAvailable(deadline, () => db.query<{ id: string }>({ text, values: [compared] }));
  compared = made.at(-1)?.id ?? compared;
  for (const { id } of someOf(made)) {
    if (byHand.has(id)) continue;
    const repaired = await untilAvailable(deadline, () => repairOf(id));
    for (const [value, times] of Object.entries(repaired)) all[value] = (all[value] ?? 0) + times;
  }
  return all;
}

/** Tries again while the database is busy, as every caller that gets a 503 should, and says what it was busy with. */
async function untilAvailable<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || Date.now() > deadline) throw error;
      console.error("comparing derived values again:", error.message, error.cause);
      await setTimeout(error.retryAfter * 1_000);
    }
  }
}
