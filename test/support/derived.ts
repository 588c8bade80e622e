import { uuidv7 } from "uuidv7";
import { type Repaired, repairOrganization } from "../../server/jobs/derived/repair.ts";
import { sharedServer } from "./server.ts";

/** Repairs what is derived for an organization of the shared server. Answers what was repaired. */
export const repairOf = async (organizationId: string): Promise<Repaired> =>
  repairOrganization((await sharedServer()).runtime, organizationId);

/** Organizations whose rows a test wrote or changed by SQL: what is derived for them need not be right. */
const byHand = new Set<string>();

/** Notes such an organization. */
export const writtenByHand = (organizationId: string): unknown => byHand.add(organizationId);

/** Organizations of earlier runs, which a database may keep, are not compared. */
let compared = uuidv7();

/** Compares what is derived for the organizations made since this was last asked. Answers what was wrong, whatever wrote it. */
export async function repairNew(): Promise<Repaired> {
  const { db } = (await sharedServer()).runtime;
  const text = "select id from organization where id > $1 order by id";
  const all: Repaired = {};
  for (const { id } of await db.query<{ id: string }>({ text, values: [compared] })) {
    compared = id;
    if (byHand.has(id)) continue;
    for (const [value, times] of Object.entries(await repairOf(id))) all[value] = (all[value] ?? 0) + times;
  }
  return all;
}
