import { setTimeout } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Statement } from "../../../db/open.ts";
import { NO_ID } from "../../../server/id.ts";
import type { Comparison, Query } from "../../../server/jobs/derived/comparison.ts";
import { COMPARISONS, type Repaired, repairOrganization } from "../../../server/jobs/derived/repair.ts";
import { hourCounts } from "../../../server/resources/recorded/analytics/index.ts";
import { someOf } from "../run/runs.ts";
import { sharedServer } from "../server.ts";
import { citus } from "./citus.ts";

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
  const chosen = someOf(made).flatMap(({ id }) => (byHand.has(id) ? [] : id));
  for (let at = 0; at < chosen.length; at += TOGETHER) {
    const some = chosen.slice(at, at + TOGETHER);
    // Citus joins no tables with rows that lie on other nodes.
    const doubtful = citus ? some : await untilAvailable(deadline, () => differingOf(db.query, some));
    for (const id of doubtful) {
      const repaired = await untilAvailable(deadline, () => repairOf(id));
      for (const [value, times] of Object.entries(repaired)) all[value] = (all[value] ?? 0) + times;
    }
  }
  return all;
}

/** Organizations that one statement compares: to plan it for each takes most of what that costs. */
const TOGETHER = 100;

/** A part of an organization that is compared: some keys, and the one behind which a walk goes on. */
interface Part {
  id: string;
  after: string;
  keys: string[];
}

/** Organizations of which a value differs from what it is derived from, unless a repair finds that it does not any more. */
async function differingOf(query: Query, organizationIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const comparison of COMPARISONS) {
    let parts: Part[] = organizationIds.map((id) => ({ id, after: NO_ID, keys: [] }));
    while (parts.length > 0) {
      const keys = new Map<string, string[]>();
      for (const { organization, id } of await ofAll(query, parts, (send, { id, after }) =>
        comparison.next(send, id, after),
      ))
        keys.set(organization, [...(keys.get(organization) ?? []), id]);
      parts = [...keys].map(([id, some]) => ({ id, after: String(some.at(-1)), keys: some }));
      for (const id of await differingIn(query, comparison, parts)) found.add(id);
    }
  }
  return found;
}

/** Organizations in whose parts a value differs. Hours are compared by several statements each. */
async function differingIn(query: Query, comparison: Comparison, parts: Part[]): Promise<string[]> {
  if (comparison !== hourCounts) {
    const rows = await ofAll(query, parts, (send, { id, keys }) => comparison.differing(send, id, keys));
    return rows.map(({ organization }) => organization);
  }
  const wrong: string[] = [];
  for (const { id, keys } of parts) if ((await comparison.differing(query, id, keys)).length > 0) wrong.push(id);
  return wrong;
}

/** Asks what one statement asks of an organization of all of them, in one that has the values of each for its parameters. */
async function ofAll(query: Query, parts: Part[], ask: (send: Query, part: Part) => Promise<unknown>) {
  const [first] = parts;
  if (!first) return [];
  let asked: Statement = { text: "" };
  await ask(async (statement) => {
    asked = statement;
    return [];
  }, first);
  const values: unknown[] = [JSON.stringify(parts)];
  const text = asked.text.replace(/\$(\d+)(::)?/g, (_, number, cast = "") => {
    const value = asked.values?.[number - 1];
    if (value === first.id) return `p.id${cast}`;
    if (value === first.keys) return `p.keys${cast || "::uuid[]"}`;
    if (value === first.after) return `p.after${cast || "::uuid"}`;
    return `$${values.push(value)}${cast}`;
  });
  return query<{ organization: string; id: string }>({
    text: `select p.id as organization, n.id from jsonb_to_recordset($1::jsonb) as p (id uuid, after text, keys text[]),
      lateral (${text}) n`,
    values,
  });
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
