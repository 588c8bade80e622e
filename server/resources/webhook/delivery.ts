import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import { conflict, inputError, notFound } from "../../errors.ts";
import { AUDIT_ENTRY_TYPE } from "../../write/derived/deliveries.ts";
import { createChangeEnvelope } from "../change/envelope.ts";
import { hasPendingDeliveries } from "./pending.ts";
import type { DeliveryTargetTable, WebhookScope } from "./scope.ts";

/** A target of deliveries. */
export interface DeliveryTarget {
  table: DeliveryTargetTable;
  id: string;
}

/** A delivery as shown to owners. `id` is the value of the header `Tracker-Delivery`. */
export interface DeliverySummary {
  id: string;
  type: string;
  action: string;
  status: string;
  attempts: { at: string; status: number | null; error: string | null }[];
  createdAt: Date;
}

/**
 * Lists a target's deliveries, newest first. `nextCursor` is present if more deliveries exist.
 * @throws notFound for the target; inputError for an invalid cursor.
 */
export async function listDeliveries(
  scope: WebhookScope,
  target: DeliveryTarget,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ deliveries: DeliverySummary[]; nextCursor?: string }> {
  await enabledTarget(scope, target);
  const after = page.cursor ? decode(page.cursor) : null;
  const following = withContent(scope, "join")
    .where({ "d.organizationId": scope.organizationId, "d.targetId": target.id })
    .orderBy(["d.createdAt", "d.id"].map((column) => ({ column, order: "desc" })))
    .limit(page.limit + 1)
    .select("d.id", "c.type", "c.action", "d.status", "d.attempts", "d.createdAt");
  if (after) following.whereRaw(`(d."createdAt", d.id) < (?, ?)`, [after.createdAt, after.id]);
  const rows = await scope.db.query<DeliverySummary>(toStatement(following));
  const deliveries = rows.slice(0, page.limit);
  const last = deliveries.at(-1);
  return { deliveries, ...(rows.length > page.limit && last && { nextCursor: encode(last) }) };
}

/** Type of notices in deliveries. */
const NOTICE = "Notice";

/** SQL for the content of a delivery: the referenced change, or an audit entry or notices in the form of a change. */
export const deliveryContentSql = (organization: string, delivery: string): string => `(
  select "lastSyncId", type, action, data, "updatedFrom", actor, "createdAt" from change
   where "organizationId" = ${organization} and "lastSyncId" = ${delivery}."lastSyncId"
  union all
  select null, '${AUDIT_ENTRY_TYPE}', 'create',
         json_build_object('id', a.id, 'event', a.event, 'userId', a."accountId", 'detail', a.detail), null,
         case when u.id is null then '{"type":"system"}'::json else json_build_object(
           'type', case when u.app then 'app' else 'user' end, 'id', u.id, 'name', u.name, 'email', u.email) end, a."createdAt"
    from audit a left join "user" u on u."organizationId" = ${organization} and u.id = a."accountId"
   where a."organizationId" = ${organization} and a.id = ${delivery}."auditId"
  union all
  select null, '${NOTICE}', 'create', ${delivery}.notices, null, '{"type":"system"}'::json, ${delivery}."createdAt"
   where ${delivery}.notices is not null)`;

/** Query for deliveries with content. A left join includes deliveries without content. */
const withContent = ({ organizationId }: WebhookScope, join: "join" | "left join") =>
  knex("delivery as d").joinRaw(`${join} lateral ${deliveryContentSql(":organizationId", "d")} c on true`, {
    organizationId,
  });

/** A delivery with the sent body. */
export interface DeliveryWithPayload extends DeliverySummary {
  /** Body of each attempt, except the time, which each attempt sets anew. Null if the change is no longer stored. */
  payload: Record<string, unknown> | null;
}

type DeliveryRow = Omit<Parameters<typeof createChangeEnvelope>[1], "type" | "action" | "data"> &
  DeliverySummary & { data: Record<string, unknown> | null; changedAt: Date };

/** @throws notFound for the target or the delivery. */
export async function readDelivery(
  scope: WebhookScope,
  target: DeliveryTarget,
  deliveryId: string,
): Promise<DeliveryWithPayload> {
  await enabledTarget(scope, target);
  const { organizationId } = scope;
  const [row] = await scope.db.query<DeliveryRow>(
    toStatement(
      withContent(scope, "left join")
        .where({ "d.organizationId": organizationId, "d.targetId": target.id, "d.id": deliveryId })
        .select("d.id", "d.status", "d.attempts", "d.createdAt", "d.lastSyncId", "c.createdAt as changedAt")
        .select("c.type", "c.action", "c.data", "c.updatedFrom", "c.actor"),
    ),
  );
  if (!row) throw notFound("delivery", deliveryId);
  const { id, type, action, status, attempts, createdAt, data, changedAt } = row;
  const payload = data && {
    ...createChangeEnvelope(organizationId, { ...row, data, createdAt: changedAt }),
    webhookId: target.id,
  };
  return { id, type: type ?? "", action: action ?? "", status, attempts, createdAt, payload };
}

/** Returns true if a target is enabled. @throws notFound */
async function enabledTarget({ db, organizationId }: WebhookScope, { table, id }: DeliveryTarget): Promise<boolean> {
  const registered = knex(table).where({ organizationId, id }).select("enabled");
  const [target] = await db.query<{ enabled: boolean }>(toStatement(registered));
  if (!target) throw notFound(table, id);
  return target.enabled;
}

const encode = ({ createdAt, id }: DeliverySummary) =>
  Buffer.from(`${createdAt.getTime()} ${id}`).toString("base64url");

function decode(cursor: string): { createdAt: Date; id: string } {
  const found = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, "base64url").toString());
  if (!found?.[1] || !found[2]) throw inputError("cursor: not a cursor of this list", "cursor");
  return { createdAt: new Date(Number(found[1])), id: found[2] };
}

/**
 * Maximum number of deliveries that a call resends. While a target has this many waiting deliveries, none are resent.
 */
const MAX_REDELIVERED = 10_000;

/**
 * Resends a delivery immediately, with the same id.
 * @throws notFound; conflict for a disabled target, or too many waiting deliveries
 */
export async function redeliver(scope: WebhookScope, target: DeliveryTarget, deliveryId: string): Promise<number> {
  await refuseRedelivery(scope, target);
  const { organizationId } = scope;
  const again = await scope.db.query(
    toStatement(knex("delivery").where({ organizationId, targetId: target.id, id: deliveryId }).update(dueNow(), "id")),
  );
  if (again.length === 0) throw notFound("delivery", deliveryId);
  return again.length;
}

/**
 * Resends the finished deliveries of a time range, successful or not, but at most the oldest 10,000. `from` is
 * inclusive, and `to` is exclusive.
 * @returns the number of resent deliveries. @throws notFound; conflict for a disabled target.
 */
export async function redeliverRange(
  scope: WebhookScope,
  target: DeliveryTarget,
  range: { from: string; to: string },
): Promise<number> {
  await refuseRedelivery(scope, target);
  const { organizationId } = scope;
  const oldest = knex("delivery")
    .where({ organizationId, targetId: target.id })
    .where("createdAt", ">=", range.from)
    .where("createdAt", "<", range.to)
    .whereNot({ status: "pending" })
    .orderBy(["createdAt", "id"])
    .limit(MAX_REDELIVERED)
    .select("id");
  const again = await scope.db.query(
    toStatement(knex("delivery").where({ organizationId }).whereIn("id", oldest).update(dueNow(), "id")),
  );
  return again.length;
}

const dueNow = () => ({ status: "pending", tries: 0, nextAttemptAt: getMonotonicDate(), leasedUntil: null });

async function refuseRedelivery(scope: WebhookScope, target: DeliveryTarget): Promise<void> {
  const { db, organizationId } = scope;
  if (await enabledTarget(scope, target)) {
    if (!(await hasPendingDeliveries(db, { organizationId, targetId: target.id }, MAX_REDELIVERED))) return;
    throw conflict(
      `${MAX_REDELIVERED} deliveries are already waiting for this target; try again later.`,
      "deliveries_waiting",
    );
  }
  if (target.table === "noticeRule") throw conflict("The rule is disabled; enable it first.", "notice_rule_disabled");
  throw conflict("The webhook is disabled; enable it first (PATCH enabled: true).", "webhook_disabled");
}
