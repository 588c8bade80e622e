import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database, Statement } from "../../db/open.ts";
import { isUuid } from "../../formats/uuid.ts";
import { inputError } from "../errors.ts";
import { NO_ID } from "../id.ts";
import { auditDeliveries, disableFullAudit } from "../write/derived/deliveries.ts";

/** Runs statements: the database, or the transaction in hand. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>;
}

/** Something about logins, keys, members or webhooks that an owner or operator may ask about later. */
interface AuditEntry {
  /** `noun.verb`, e.g. `apiKey.created`. */
  event: string;
  /** Null for what is about an account or the server alone, which operators read. */
  organizationId?: string | null;
  accountId?: string | null;
  /** Ids, names and addresses. Never a secret, a key or a password. */
  detail?: Record<string, unknown>;
}

/** An entry with its id and its moment. */
export interface StoredEntry {
  id: string;
  accountId: string | null;
  event: string;
  detail: string;
  createdAt: Date;
}

/** Writes an audit entry beside the change that it is about: pass the same transaction. */
export async function audit(trx: Queryable, { event, organizationId, accountId, detail = {} }: AuditEntry) {
  const entry = { id: uuidv7(), accountId: accountId ?? null, event, detail: JSON.stringify(detail) };
  await writeEntries(trx, organizationId ?? NO_ID, [{ ...entry, createdAt: new Date() }]);
}

/** Writes entries of an organization that are not there yet, with their deliveries, in the transaction in hand. */
export async function writeEntries(trx: Queryable, organizationId: string, entries: readonly StoredEntry[]) {
  const rows = entries.map((entry) => ({ organizationId, ...entry }));
  const insert = knex("audit").insert(rows).onConflict(["organizationId", "id"]).ignore().returning("id");
  const written = await trx.query<{ id: string }>(toStatement(insert));
  const ids = written.map(({ id }) => id);
  if (organizationId !== NO_ID && ids.length > 0) await deliverEntries(trx, organizationId, ids);
}

/** Writes the deliveries of entries, and disables a webhook for which too many wait: it misses none in between. */
async function deliverEntries(trx: Queryable, organizationId: string, ids: readonly string[]) {
  const written = await trx.query<{ targetId: string }>(auditDeliveries(organizationId, ids));
  if (written.length === 0) return;
  const targets = [...new Set(written.map(({ targetId }) => targetId))];
  const off = await trx.query<{ id: string }>(disableFullAudit(organizationId, targets, ids.at(-1) ?? ""));
  for (const { id } of off)
    await audit(trx, {
      event: "webhook.disabled",
      organizationId,
      detail: { id, reason: "too many deliveries waited" },
    });
}

/** An audit entry as owners read it. */
interface AuditView {
  id: string;
  event: string;
  /** The user who did it; null for upkeep and operators. */
  userId: string | null;
  name: string | null;
  email: string | null;
  detail: Record<string, unknown>;
  createdAt: Date;
}

/** The filter of a list of entries, and the page of it. */
interface AuditPage {
  limit: number;
  cursor?: string | undefined;
  /** A noun, `apiKey`, or one of its events, `apiKey.created`. */
  event?: string | undefined;
  userId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Lists the audit of logins, keys, members, webhooks and the organization itself, newest first. Entries of no
 * organization are left out.
 * @throws inputError for a cursor that is none.
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

/** The noun of an event has an index of its own: few entries of a kind are found without reading all others. */
function narrow(wanted: Knex.QueryBuilder, { cursor, event, userId, from, to }: AuditPage): void {
  if (cursor) wanted.where("a.id", "<", decode(cursor));
  if (event) wanted.whereRaw(`split_part(a.event, '.', 1) = ?`, [event.split(".")[0] ?? ""]);
  if (event?.includes(".")) wanted.where("a.event", event);
  if (userId) wanted.where("a.accountId", userId);
  if (from) wanted.where("a.createdAt", ">=", from).where("a.id", ">=", idAt(from, -SLACK_MS));
  if (to) wanted.where("a.createdAt", "<", to).where("a.id", "<", idAt(to, SLACK_MS));
}

/** Ids are made a moment before or after the time that stands beside them. */
const SLACK_MS = 60_000;

/** The least id of a moment: ids begin with their time, so that entries of another time need not be read. */
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
