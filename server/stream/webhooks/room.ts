import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { entityModel, webhookTypes } from "../../resources/index.ts";
import type { PendingDeliveryLimits } from "../../resources/webhook/pending.ts";
import type { Runtime } from "../../runtime.ts";
import { createSystemScope } from "../../scope.ts";
import { buildFirstMissedChangeQuery, buildMissedDeliveryInsert } from "../../write/derived/deliveries.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import { markWebhookDisabled } from "./disable.ts";

/**
 * If a webhook accepts fewer further changes than this, the server counts the webhook's waiting deliveries again and
 * extends its limit.
 */
const LOW = 250;
/**
 * Maximum number of late deliveries per transaction. The number is limited because the transaction blocks other writers
 * of the organization.
 */
const LATE_AT_ONCE = 2_000;

/**
 * Selects organizations with a webhook that soon accepts no further changes: all organizations, or only those in $1.
 * Raw SQL: compares rows of two tables. The limit costs the writer of a change nothing, because `acceptsUntil` is a
 * change number and each change already has a number.
 */
const SHORT = `select distinct w."organizationId" as id from webhook w join sync s on s."organizationId" = w."organizationId"
   where w.enabled and ($1::uuid[] is null or w."organizationId" = any($1))
     and (w."acceptsUntil" is null or w."acceptsUntil" - s."lastSyncId" < ${LOW}) limit 100`;

export async function findOrganizationsNearDeliveryLimit(
  db: Database,
  some: readonly string[] | undefined,
): Promise<string[]> {
  if (some?.length === 0) return [];
  const rows = await db.query<{ id: string }>({ name: "webhooks-short", text: SHORT, values: [some ?? null] });
  return rows.map(({ id }) => id);
}

/** A webhook and the number of its waiting deliveries. */
interface Measured {
  id: string;
  acceptsUntil: number | null;
  waiting: number;
}

/**
 * Raw SQL: counts the waiting deliveries of each webhook in an index. Transactions that write changes do not run this
 * count.
 */
const MEASURE = `select w.id, w."acceptsUntil", (select count(*)::integer from delivery d
      where d."organizationId" = $1 and d."targetId" = w.id and d.status = 'pending') as waiting
    from webhook w where w."organizationId" = $1 and w.enabled order by w.id for update of w`;

interface Given {
  /** True when late deliveries were written and wait to be sent. */
  wrote: boolean;
  /** True when late deliveries remain to be written. */
  more: boolean;
  /** The webhook to disable, when a webhook missed a change and has no room for its delivery. */
  full: Measured | undefined;
}

/**
 * Lets the webhooks of an organization accept more changes: each webhook gets an equal share of the organization's
 * remaining limit. Also creates deliveries, exactly one each, for changes that a webhook missed because the webhook's
 * queue was full. The transaction blocks other writers meanwhile.
 */
export const extendDeliveryLimits = (
  db: Database,
  organizationId: string,
  limits: PendingDeliveryLimits,
): Promise<Given> =>
  db.transaction(async (trx) => {
    const locked = knex("sync").where({ organizationId }).forUpdate().select("lastSyncId");
    const [sync] = await trx.query<{ lastSyncId: number }>(toStatement(locked));
    const given: Given = { wrote: false, more: false, full: undefined };
    if (!sync) return given;
    const measured = await trx.query<Measured>({ name: "webhooks-measure", text: MEASURE, values: [organizationId] });
    const last = sync.lastSyncId;
    const all = measured.reduce((sum, { waiting }) => sum + waiting, 0);
    const share = Math.floor(Math.max(0, limits.organization - all) / Math.max(1, measured.length));
    for (const webhook of measured) {
      const room = Math.max(0, Math.min(share, limits.target - webhook.waiting));
      const late = await writeLate(trx, organizationId, { webhook, room, last });
      webhook.acceptsUntil = late.acceptsUntil;
      given.wrote ||= late.written > 0;
      given.more ||= late.isBehind && room > 0;
      // If the webhook is below its own limit, the organization's limit is reached. The webhook with the longest
      // backlog is then disabled instead.
      if (late.isBehind && room === 0) given.full ??= webhook.waiting < limits.target ? longest(measured) : webhook;
    }
    await trx.query({
      name: "webhooks-room",
      text: `update webhook w set "acceptsUntil" = u.until from unnest($2::uuid[], $3::bigint[]) u (id, until)
              where w."organizationId" = $1 and w.id = u.id`,
      values: [organizationId, measured.map(({ id }) => id), measured.map(({ acceptsUntil }) => acceptsUntil)],
      writes: ["webhook"],
    });
    return given;
  });

const longest = (measured: readonly Measured[]): Measured | undefined =>
  measured.toSorted((a, b) => b.waiting - a.waiting)[0];

/**
 * Writes deliveries of missed changes while the webhook has room. `acceptsUntil` is the number of the last change that
 * the webhook accepts.
 */
async function writeLate(
  trx: Transaction,
  organizationId: string,
  { webhook, room, last }: { webhook: Measured; room: number; last: number },
): Promise<{ acceptsUntil: number; written: number; isBehind: boolean }> {
  const { id: webhookId, acceptsUntil } = webhook;
  if (acceptsUntil === null || acceptsUntil >= last) return { acceptsUntil: last + room, written: 0, isBehind: false };
  const missed = { webhookId, after: acceptsUntil, until: last, types: webhookTypes };
  const most = Math.min(room, LATE_AT_ONCE);
  const late =
    most > 0 ? await trx.query<{ lastSyncId: number }>(buildMissedDeliveryInsert(organizationId, missed, most)) : [];
  const after = late.reduce((latest, { lastSyncId }) => Math.max(latest, lastSyncId), acceptsUntil);
  const written = late.length;
  const isBehind = written === most && (await firstMissed(trx, organizationId, { ...missed, after })) !== null;
  return { acceptsUntil: isBehind ? after : last + room - written, written, isBehind };
}

async function firstMissed(
  trx: Pick<Transaction, "query">,
  organizationId: string,
  missed: Parameters<typeof buildFirstMissedChangeQuery>[1],
): Promise<number | null> {
  const [row] = await trx.query<{ first: number | null }>(buildFirstMissedChangeQuery(organizationId, missed));
  return row?.first ?? null;
}

/**
 * Disables a webhook with too many waiting deliveries, unless the webhook was changed meanwhile. The reason names the
 * first missed change.
 */
export async function disableFullWebhook(
  runtime: Runtime,
  organizationId: string,
  { id, acceptsUntil, waiting }: Measured,
) {
  const outcome = await runMutationTransaction(
    createSystemScope(runtime, organizationId),
    entityModel,
    async (write) => {
      const same = knex("webhook").where({ organizationId, id, enabled: true, acceptsUntil }).forUpdate().select("id");
      const [webhook] = await write.trx.query(toStatement(same, { reads: ["webhook"] }));
      if (!webhook) return {};
      const missed = { webhookId: id, after: acceptsUntil ?? 0, until: Number.MAX_SAFE_INTEGER, types: webhookTypes };
      const first = await firstMissed(write.trx, organizationId, missed);
      const now = knex("sync").where({ organizationId }).select("lastSyncId");
      const [sync] = await write.trx.query<{ lastSyncId: number }>(toStatement(now));
      const next = first ?? (sync?.lastSyncId ?? 0) + 1;
      await markWebhookDisabled(write, id, reasonOf(waiting, next));
      return { id };
    },
  );
  if (outcome.result.id)
    runtime.log.warn({ organizationId, webhookId: id, waiting }, "webhook disabled: too many deliveries wait");
}

const reasonOf = (waiting: number, first: number): string =>
  `${waiting} deliveries waited, the most there may be: they ended, a redelivery sends them. The first change that it missed is ${first}: changes(after: ${first - 1}) has it and all later ones`;

/** Deliveries that one statement ends. */
const SLICE = 1_000;

/**
 * Marks the waiting deliveries of a disabled target as failed, in slices. Other targets can then use the organization's
 * limit.
 */
export async function endWaitingDeliveries(db: Database, organizationId: string, targetId: string): Promise<void> {
  const at = new Date();
  const ended = [{ at: at.toISOString(), status: null, error: "the target is disabled: too many deliveries waited" }];
  for (;;) {
    const rows = await db.query({
      name: "webhooks-end",
      text: `update delivery d set status = 'failed', "nextAttemptAt" = null, attempts = d.attempts || $3::jsonb
         from (select id from delivery where "organizationId" = $1 and "targetId" = $2 and status = 'pending'
                 and "leasedUntil" is null order by "nextAttemptAt" limit ${SLICE} for update skip locked) s
        where d."organizationId" = $1 and d.id = s.id returning d.id`,
      values: [organizationId, targetId, JSON.stringify(ended)],
    });
    if (rows.length < SLICE) return;
  }
}
