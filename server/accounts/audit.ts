import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database, Statement } from "../../db/open.ts";
import { isUuid } from "../../formats/uuid.ts";
import { inputError } from "../errors.ts";
import { NO_ID } from "../id.ts";
import { buildAuditDeliveryInsert, buildFullAuditWebhookDisable } from "../write/derived/deliveries.ts";

/** Runs statements, either in the database or in the current transaction. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>;
}

/** An event about logins, keys, members or webhooks that an owner or operator may look up later. */
interface AuditEntry {
  /** Name of the form `noun.verb`, such as `apiKey.created`. */
  event: string;
  /**
   * Null for an event that belongs to an account or to the server instead of an organization. Operators read these
   * entries.
   */
  organizationId?: string | null;
  accountId?: string | null;
  /** Ids, names and addresses. Never a secret, a key or a password. */
  detail?: Record<string, unknown>;
}

/** An audit entry with id and time. */
export interface StoredAuditEntry {
  id: string;
  accountId: string | null;
  event: string;
  detail: string;
  createdAt: Date;
}

/** Writes an audit entry. Pass the transaction of the audited change. */
export async function writeAuditEntry(trx: Queryable, { event, organizationId, accountId, detail = {} }: AuditEntry) {
  const entry = { id: uuidv7(), accountId: accountId ?? null, event, detail: JSON.stringify(detail) };
  await insertAuditEntries(trx, organizationId ?? NO_ID, [{ ...entry, createdAt: new Date() }]);
}

/**
 * Writes an organization's new entries and their deliveries in the current transaction. Existing entries stay
 * unchanged.
 */
export async function insertAuditEntries(trx: Queryable, organizationId: string, entries: readonly StoredAuditEntry[]) {
  const rows = entries.map((entry) => ({ organizationId, ...entry }));
  const insert = knex("audit").insert(rows).onConflict(["organizationId", "id"]).ignore().returning("id");
  const written = await trx.query<{ id: string }>(toStatement(insert));
  const ids = written.map(({ id }) => id);
  if (organizationId !== NO_ID && ids.length > 0) await deliverEntries(trx, organizationId, ids);
}

/**
 * Creates the webhook deliveries of audit entries. Disables a webhook that has too many pending deliveries. Until a
 * webhook reaches the limit of pending deliveries, the webhook misses no entry.
 */
async function deliverEntries(trx: Queryable, organizationId: string, ids: readonly string[]) {
  const written = await trx.query<{ targetId: string }>(buildAuditDeliveryInsert(organizationId, ids));
  if (written.length === 0) return;
  const targets = [...new Set(written.map(({ targetId }) => targetId))];
  const off = await trx.query<{ id: string }>(buildFullAuditWebhookDisable(organizationId, targets, ids.at(-1) ?? ""));
  for (const { id } of off)
    await writeAuditEntry(trx, {
      event: "webhook.disabled",
      organizationId,
      detail: { id, reason: "too many deliveries waited" },
    });
}

/** An audit entry as owners read it. */
interface AuditView {
  id: string;
  event: string;
  /** The user who caused the event; null for maintenance and operators. */
  userId: string | null;
  name: string | null;
  email: string | null;
  detail: Record<string, unknown>;
  createdAt: Date;
}

/** Filter and page of a list of audit entries. */
interface AuditPage {
  limit: number;
  cursor?: string | undefined;
  /** A noun such as `apiKey`, or a complete event name such as `apiKey.created`. */
  event?: string | undefined;
  userId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Lists the audit entries of an organization, newest first: logins, keys, members, webhooks and the organization
 * itself. Omits entries without an organization.
 * @throws inputError for an invalid cursor.
 */
export async function listAudit(
  db: Database,
  organizationId: string,
  page: AuditPage,
): Promise<{ entries: AuditView[]; nextCursor?: string }> {
  const wanted = knex("audit as a")
    .leftJoin("user as u", { "u.organizationId": "a.organizationId", "u.id": "a.accountId" })
    .where("a.organizationId", organizationId)
    .orderBy("a.id", "desc")
    .limit(page.limit + 1)
    .select("a.id", "a.event", "a.accountId as userId", "u.name", "u.email", "a.detail", "a.createdAt");
  narrow(wanted, page);
  const rows = await db.query<AuditView>(toStatement(wanted));
  const entries = rows.slice(0, page.limit);
  const last = entries.at(-1);
  return { entries, ...(rows.length > page.limit && last && { nextCursor: encode(last.id) }) };
}

/**
 * Adds the filters to the query. The noun of an event name has its own index, so a search for a rare event does not
 * read all other entries.
 */
function narrow(wanted: Knex.QueryBuilder, { cursor, event, userId, from, to }: AuditPage): void {
  if (cursor) wanted.where("a.id", "<", decode(cursor));
  if (event) wanted.whereRaw(`split_part(a.event, '.', 1) = ?`, [event.split(".")[0] ?? ""]);
  if (event?.includes(".")) wanted.where("a.event", event);
  if (userId) wanted.where("a.accountId", userId);
  if (from) wanted.where("a.createdAt", ">=", from).where("a.id", ">=", idAt(from, -SLACK_MS));
  if (to) wanted.where("a.createdAt", "<", to).where("a.id", "<", idAt(to, SLACK_MS));
}

/** Maximum difference between the time in an entry's id and `createdAt`. */
const SLACK_MS = 60_000;

/**
 * Returns the lowest id that an entry can have at a time (`moment` plus `more` ms). Ids begin with their time, so the
 * query skips entries of other times.
 */
function idAt(moment: string, more: number): string {
  const hex = Math.max(0, Date.parse(moment) + more)
    .toString(16)
    .padStart(12, "0")
    .slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const encode = (id: string): string => Buffer.from(id).toString("base64url");

function decode(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!isUuid(id)) throw inputError("cursor: not one that this list gave out", "cursor");
  return id;
}
