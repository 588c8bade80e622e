import { knex, toStatement } from "../../../db/builder.ts";
import { conflict, inputError, notFound } from "../../errors.ts";
import { AUDIT_ENTRY } from "../../write/derived/deliveries.ts";
import { envelope } from "../change/envelope.ts";
import { hasPending } from "./pending.ts";
import type { TargetTable, WebhookScope } from "./scope.ts";

/** The target whose deliveries are meant. */
export interface TargetOf {
  table: TargetTable;
  id: string;
}

/** A delivery as owners see it. Its `id` is the `Tracker-Delivery` header. */
export interface DeliveryView {
  id: string;
  type: string;
  action: string;
  status: string;
  attempts: { at: string; status: number | null; error: string | null }[];
  createdAt: Date;
}

/**
 * A target's deliveries, newest first. `nextCursor` is present while there are more.
 * @throws notFound for the target; inputError for a cursor that is none.
 */
export async function listDeliveries(
  scope: WebhookScope,
  target: TargetOf,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ deliveries: DeliveryView[]; nextCursor?: string }> {
  await enabledTarget(scope, target);
  const after = page.cursor ? decode(page.cursor) : null;
  const following = withContent(scope, "join")
    .where({ "d.organizationId": scope.organizationId, "d.targetId": target.id })
    .orderBy(["d.createdAt", "d.id"].map((column) => ({ column, order: "desc" })))
    .limit(page.limit + 1)
    .select("d.id", "c.type", "c.action", "d.status", "d.attempts", "d.createdAt");
  if (after) following.whereRaw(`(d."createdAt", d.id) < (?, ?)`, [after.createdAt, after.id]);
  const rows = await scope.db.query<DeliveryView>(toStatement(following));
  const deliveries = rows.slice(0, page.limit);
  const last = deliveries.at(-1);
  return { deliveries, ...(rows.length > page.limit && last && { nextCursor: encode(last) }) };
}

/** The type under which notices are sent. */
const NOTICE = "Notice";

/** SQL of the content of a delivery: the change that it refers to, or an entry of the audit or notices in the form of one. */
export const contentSql = (organization: string, delivery: string): string => `(
  select "lastSyncId", type, action, data, "updatedFrom", actor, "createdAt" from change
   where "organizationId" = ${organization} and "lastSyncId" = ${delivery}."lastSyncId"
  union all
  select null, '${AUDIT_ENTRY}', 'create',
         json_build_object('id', a.id, 'event', a.event, 'userId', a."accountId", 'detail', a.detail), null,
         case when u.id is null then '{"type":"system"}'::json else json_build_object(
           'type', case when u.app then 'app' else 'user' end, 'id', u.id, 'name', u.name, 'email', u.email) end, a."createdAt"
    from audit a left join "user" u on u."organizationId" = ${organization} and u.id = a."accountId"
   where a."organizationId" = ${organization} and a.id = ${delivery}."auditId"
  union all
  select null, '${NOTICE}', 'create', ${delivery}.notices, null, '{"type":"system"}'::json, ${delivery}."createdAt"
   where ${delivery}.notices is not null)`;

/** Deliveries with their content, those without one too where the join is a left one. */
const withContent = ({ organizationId }: WebhookScope, join: "join" | "left join") =>
  knex("delivery as d").joinRaw(`${join} lateral ${contentSql(":organizationId", "d")} c on true`, { organizationId });

/** A delivery with what was posted. */
export interface DeliveryWithPayload extends DeliveryView {
  /** As each attempt sends it, but for the time that every attempt stamps anew; null once the change is no longer kept. */
  payload: Record<string, unknown> | null;
}

type DeliveryRow = Omit<Parameters<typeof envelope>[1], "type" | "action" | "data"> &
  DeliveryView & { data: Record<string, unknown> | null; changedAt: Date };

/** One delivery with its payload. @throws notFound for the target or the delivery. */
export async function readDelivery(
  scope: WebhookScope,
  target: TargetOf,
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
  const payload = data && { ...envelope(organizationId, { ...row, data, createdAt: changedAt }), webhookId: target.id };
  return { id, type: type ?? "", action: action ?? "", status, attempts, createdAt, payload };
}

/** Tells whether a target is enabled. @throws notFound */
async function enabledTarget({ db, organizationId }: WebhookScope, { table, id }: TargetOf): Promise<boolean> {
  const registered = knex(table).where({ organizationId, id }).select("enabled");
  const [target] = await db.query<{ enabled: boolean }>(toStatement(registered));
  if (!target) throw notFound(table, id);
  return target.enabled;
}

const encode = ({ createdAt, id }: DeliveryView) => Buffer.from(`${createdAt.getTime()} ${id}`).toString("base64url");

function decode(cursor: string): { createdAt: Date; id: string } {
  const found = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, "base64url").toString());
  if (!found?.[1] || !found[2]) throw inputError("cursor: not one that this list gave out", "cursor");
  return { createdAt: new Date(Number(found[1])), id: found[2] };
}

/** The most deliveries that one call can send again; while so many of a target wait, none are. */
const MAX_REDELIVERED = 10_000;

/**
 * Sends one delivery again, at once, under the same id.
 * @throws notFound; conflict for a target that is disabled, or has too much waiting
 */
export async function redeliver(scope: WebhookScope, target: TargetOf, deliveryId: string): Promise<number> {
  await refuseRedelivery(scope, target);
  const { organizationId } = scope;
  const again = await scope.db.query(
    toStatement(knex("delivery").where({ organizationId, targetId: target.id, id: deliveryId }).update(dueNow(), "id")),
  );
  if (again.length === 0) throw notFound("delivery", deliveryId);
  return again.length;
}

/**
 * Sends again what was delivered, or not, in a range of time: `from` included, `to` not; the oldest 10,000 of it.
 * @returns how many. @throws notFound; conflict for a target that is disabled.
 */
export async function redeliverRange(
  scope: WebhookScope,
  target: TargetOf,
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

const dueNow = () => ({ status: "pending", tries: 0, nextAttemptAt: new Date(), leasedUntil: null });

async function refuseRedelivery(scope: WebhookScope, target: TargetOf): Promise<void> {
  const { db, organizationId } = scope;
  if (await enabledTarget(scope, target)) {
    if (!(await hasPending(db, { organizationId, targetId: target.id }, MAX_REDELIVERED))) return;
    throw conflict(`${MAX_REDELIVERED} deliveries wait to be sent there; try again later.`, "deliveries_waiting");
  }
  if (target.table === "noticeRule") throw conflict("The rule is disabled; enable it first.", "notice_rule_disabled");
  throw conflict("The webhook is disabled; enable it first (PATCH enabled: true).", "webhook_disabled");
}
