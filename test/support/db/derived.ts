import { setTimeout } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { Statement } from "../../../db/open.ts";
import { NO_ID } from "../../../server/id.ts";
import type { DerivedValueComparison, Query } from "../../../server/jobs/derived/comparison.ts";
import {
  DERIVED_VALUE_COMPARISONS,
  type RepairCounts,
  repairOrganizationValues,
} from "../../../server/jobs/derived/repair.ts";
import { hourCountsComparison } from "../../../server/resources/recorded/analytics/index.ts";
import { sample } from "../run/runs.ts";
import { startSharedServer } from "../server.ts";
import { citusUrl } from "./citus.ts";

/** Repairs the derived values of an organization on the shared server. Returns the repaired values with counts. */
export const repairDerivedValues = async (organizationId: string): Promise<RepairCounts> =>
  repairOrganizationValues((await startSharedServer()).runtime, organizationId);

/** Organizations whose rows a test wrote with SQL. Their derived values may be wrong. */
const byHand = new Set<string>();

/** Excludes an organization from the comparison of derived values. */
export const excludeFromComparison = (organizationId: string): unknown => byHand.add(organizationId);

/**
 * Id of the newest compared organization. Organizations of earlier runs, which a database may contain, are skipped.
 */
let compared = uuidv7();

/** Time for which a busy database may refuse the comparison, in ms. */
const PATIENCE_MS = 120_000;

/**
 * Compares the derived values of the organizations that were created since the last call, or of a random share of
 * them. Returns the wrong values with counts.
 */
export async function repairNewOrganizations(): Promise<RepairCounts> {
  const { db } = (await startSharedServer()).runtime;
  const text = "select id from organization where id > $1 order by id";
  const deadline = Date.now() + PATIENCE_MS;
  const all: RepairCounts = {};
  const made = await untilAvailable(deadline, () => db.query<{ id: string }>({ text, values: [compared] }));
  compared = made.at(-1)?.id ?? compared;
  const chosen = sample(made).flatMap(({ id }) => (byHand.has(id) ? [] : id));
  for (let at = 0; at < chosen.length; at += TOGETHER) {
    const some = chosen.slice(at, at + TOGETHER);
    // Citus cannot join tables with rows on other nodes.
    const doubtful = citusUrl ? some : await untilAvailable(deadline, () => differingOf(db.query, some));
    for (const id of doubtful) {
      const repaired = await untilAvailable(deadline, () => repairDerivedValues(id));
      for (const [value, times] of Object.entries(repaired)) all[value] = (all[value] ?? 0) + times;
    }
  }
  return all;
}

/**
 * Number of organizations that one statement compares. Planning a statement per organization would take most of the
 * time.
 */
const TOGETHER = 100;

/** Part of an organization that is compared: some keys, and the key after which the next part begins. */
interface Part {
  id: string;
  after: string;
  keys: string[];
}

/**
 * Returns the organizations with a value that differs from the rows it is derived from. A repair may find that the
 * difference has disappeared.
 */
async function differingOf(query: Query, organizationIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const comparison of DERIVED_VALUE_COMPARISONS) {
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

/** Returns the organizations in whose parts a value differs. The counts of hours need several statements. */
async function differingIn(query: Query, comparison: DerivedValueComparison, parts: Part[]): Promise<string[]> {
  if (comparison !== hourCountsComparison) {
    const rows = await ofAll(query, parts, (send, { id, keys }) => comparison.differing(send, id, keys));
    return rows.map(({ organization }) => organization);
  }
  const wrong: string[] = [];
  for (const { id, keys } of parts) if ((await comparison.differing(query, id, keys)).length > 0) wrong.push(id);
  return wrong;
}

/**
 * Sends the statement of one organization for all organizations at once: a single statement receives the parameters
 * of each.
 */
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

/**
 * Retries while the database is busy, as every client does after a 503, until the deadline. Logs the reason of each
 * retry.
 */
async function untilAvailable<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnavailableError) || Date.now() > deadline) throw error;
      console.error("comparing derived values again:", error.message, error.cause);
      await setTimeout(error.retryAfter * 1_000);
    }
  }
}
