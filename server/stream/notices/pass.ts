import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { readChanges } from "./changes.ts";
import { type Firing, fire, resolve } from "./firing.ts";
import { lookBy, looksAtRecorded } from "./recorded.ts";
import { type Rule, rulesOf } from "./rules.ts";
import { tellOf } from "./tell.ts";

/** The interval of slow passes, which read what no wake named, and of checks for messages that are due. */
const SLOW_MS = 10_000;
const SOON_MS = 1_000;

interface Watch {
  lastSyncId: number;
  slowAt: Date;
  last: number;
}

/** Raw SQL: a join with a row that is not locked. Another process that looks after the organization has the row. */
const TAKE = `select w."lastSyncId", w."slowAt", coalesce(s."lastSyncId", 0) as last from "noticeWatch" w
  left join sync s on s."organizationId" = w."organizationId" where w."organizationId" = $1 for update of w skip locked`;

/**
 * Looks after the rules of an organization, in one transaction: what came about since the last pass is noted, and its
 * message written, exactly once, whatever dies. One process does at a time.
 * @param touched sessions that something was recorded of
 * @returns whether deliveries wait now
 */
export const lookAfter = (
  db: Database,
  organizationId: string,
  touched: readonly string[] = [],
  at = new Date(),
): Promise<boolean> =>
  db.transaction(async (trx) => {
    const [watch] = await trx.query<Watch>({ name: "notices-take-watch", text: TAKE, values: [organizationId] });
    if (!watch) return false;
    const rules = await rulesOf(trx, organizationId);
    const own = knex("noticeWatch").where({ organizationId });
    if (rules.length === 0) {
      // The next rule begins anew.
      await trx.query(toStatement(own.delete()));
      return false;
    }
    const slow = watch.slowAt <= at;
    const { lastSyncId: position, last } = watch;
    const changes = await readChanges(trx, organizationId, rules, { position, last });
    await resolve(trx, organizationId, changes.over, at);
    await fire(
      trx,
      organizationId,
      [...changes.fired, ...(await recorded(trx, organizationId, { rules, touched, slow, at }))],
      at,
    );
    const tells = await tellOf(trx, organizationId, rules, at);
    const patch = {
      lastSyncId: changes.position,
      dueAt: new Date(at.getTime() + ((await waits(trx, organizationId, rules)) ? SOON_MS : SLOW_MS)),
      ...(slow && { slowAt: new Date(at.getTime() + SLOW_MS) }),
    };
    await trx.query(toStatement(own.update(patch)));
    return tells;
  });

async function recorded(
  trx: Transaction,
  organizationId: string,
  { rules, touched, slow, at }: { rules: readonly Rule[]; touched: readonly string[]; slow: boolean; at: Date },
): Promise<Firing[]> {
  const found: Firing[] = [];
  for (const rule of rules) {
    if (!(slow ? looksAtRecorded(rule) : touched.length > 0 && looksAtRecorded(rule, "touched"))) continue;
    found.push(...(await lookBy({ trx, organizationId, rule, touched, slow, at })));
  }
  return found;
}

/** True when a message waits: for the end of quiet hours, or of an hour. */
async function waits(trx: Transaction, organizationId: string, rules: readonly Rule[]): Promise<boolean> {
  const due = knex("notice")
    .where({ organizationId })
    .whereIn(
      "ruleId",
      rules.map(({ id }) => id),
    )
    .whereNotNull("dueAt");
  return (await trx.query(toStatement(due.limit(1).select("ruleId")))).length > 0;
}

/** Organizations whose rules are due to be checked: their log went on, or it is time. Raw SQL: a comparison of two tables. */
export const DUE = `select w."organizationId" as id from "noticeWatch" w join sync s on s."organizationId" = w."organizationId"
  where w."dueAt" <= $1 or w."lastSyncId" < s."lastSyncId" order by w."dueAt" limit $2`;
