import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import type { Database } from "../../../db/open.ts";
import { deliveryContentSql } from "../../resources/webhook/delivery.ts";
import { type DeliveryTargetFormat, deliveryTargetSql } from "../../resources/webhook/scope.ts";
import { AUDIT_ENTRY_TYPE } from "../../write/derived/deliveries.ts";
import type { ChangeLogEntry } from "../change.ts";
import { findOrganizationsWithDueDeliveries } from "./due.ts";

/** A delivery claimed by this process, with all data needed for sending. */
export interface ClaimedDelivery {
  id: string;
  organizationId: string;
  targetId: string;
  /** Attempts since the delivery was written or redelivered. */
  tries: number;
  /** End of the claim. `recordAttempts` uses the exact time to recognize the claim. */
  leasedUntil: Date;
  /** Bytes of the content. */
  size: number;
  /** A change, an audit entry or notices; null when retention deleted the content. */
  content: DeliveryContent | null;
  /** Null when the target is deleted or disabled. */
  target: DeliveryTargetRow | null;
}

/** The content of a delivery. Audit entries and notices have no change number. */
export type DeliveryContent = Omit<ChangeLogEntry, "lastSyncId" | "event"> & { lastSyncId: number | null };

/** The columns of a webhook or rule that a delivery needs. */
export interface DeliveryTargetRow {
  format: DeliveryTargetFormat;
  /** Null for a rule, which stores its URL encrypted. */
  url: string | null;
  targetEncrypted: Buffer | null;
  /** Null for a webhook, and for a rule whose channel is not email. */
  emails: string[] | null;
  includeText: boolean | null;
  secretEncrypted: Buffer | null;
  /** Secret before the last rotation. Null when the period in which both secrets sign has ended. */
  previousSecretEncrypted: Buffer | null;
  /** Time of the first failure since the last success; null after a success. */
  failingSince: Date | null;
}

/** The deliveries and bytes that this process can still accept. */
export interface DeliveryCapacity {
  deliveries: number;
  bytes: number;
  /** Deliveries in flight by target. */
  busy: ReadonlyMap<string, number>;
  /** Deliveries in flight and their bytes, by organization. */
  held: ReadonlyMap<string, InFlightLoad>;
}

export interface InFlightLoad {
  deliveries: number;
  bytes: number;
}

/**
 * Returns the additional capacity that an organization may take. Afterwards the organization uses at most half of the
 * capacity that is still free, so a single organization gets a third of the total, and further organizations find free
 * capacity. An organization that uses nothing gets at least 1, if any capacity is free.
 */
export const computeAdditionalShare = (free: number, held: number): number =>
  Math.max(held === 0 ? Math.min(free, 1) : 0, Math.floor((free - 2 * held) / 3));

/**
 * Duration of a claim in ms. The duration is longer than an exchange, which takes at most 10 s. The claim of a crashed
 * process expires after this time.
 */
const LEASE_MS = 20_000;
/**
 * Concurrent deliveries per target. A target whose last attempt failed gets one, so that a dead receiver delays
 * no other target.
 */
const AT_ONCE = 4;
const AT_ONCE_FAILING = 1;

/**
 * Claims due deliveries of an organization, healthy targets first, and skips deliveries that another process is
 * claiming. The audit entries of a target are sent one at a time, in order, so the first waiting entry delays later
 * entries. Raw SQL: needs SKIP LOCKED, and a recursive CTE that reads one index entry per target (loose index scan), so
 * that a backlog is never read completely.
 */
const CLAIM = `
  with recursive head as (
    (select "targetId", "nextAttemptAt" from delivery where "organizationId" = $1 and status = 'pending'
      order by "targetId", "nextAttemptAt" limit 1)
    union all
    select n.* from head cross join lateral (
      select d."targetId", d."nextAttemptAt" from delivery d
       where d."organizationId" = $1 and d.status = 'pending' and d."targetId" > head."targetId"
       order by d."targetId", d."nextAttemptAt" limit 1) n
  ),
  ready as (
    select h."targetId", w."failingSince", f.id as first,
           case when f.id is null and w."failingSince" is null then ${AT_ONCE} else ${AT_ONCE_FAILING} end
             - coalesce(b.many, 0) as room
      from head h
      left join lateral ${deliveryTargetSql("$1", 'h."targetId"')} w on true
      left join unnest($4::uuid[], $5::integer[]) b(id, many) on b.id = h."targetId"
      left join lateral (
        select id, "nextAttemptAt" from delivery
         where "organizationId" = $1 and status = 'pending' and "targetId" = h."targetId" and "auditId" is not null
         order by "createdAt", "auditId" limit 1) f on '${AUDIT_ENTRY_TYPE}' = any(w."resourceTypes")
     where coalesce(f."nextAttemptAt", h."nextAttemptAt") <= $2
     order by (w."failingSince" is null) desc, h."nextAttemptAt"
  ),
  picked as (
    select d.* from ready r cross join lateral (
      select id, "lastSyncId", "auditId", notices, "createdAt" from delivery
       where "organizationId" = $1 and status = 'pending' and "targetId" = r."targetId" and "nextAttemptAt" <= $2
         and (r.first is null or id = r.first)
       order by "nextAttemptAt" limit greatest(r.room, 0) for update skip locked) d
     limit $6
  ),
  sized as (
    select p.id, c.*, sum(c.size) over (order by p.id) - c.size as before
      from picked p cross join lateral (
        select coalesce(max(octet_length(data::text) + coalesce(octet_length("updatedFrom"::text), 0)), 0) as size
          from ${deliveryContentSql("$1", "p")} content) c
  ),
  claimed as (
    update delivery d set "leasedUntil" = $3, "nextAttemptAt" = $3
      from sized s where d."organizationId" = $1 and d.id = s.id and s.before < $7
    returning d.id, d."organizationId", d."targetId", d."lastSyncId", d."auditId", d.notices, d."createdAt", d.tries,
      d."leasedUntil", s.size
  )
  select q.id, q."organizationId", q."targetId", q.tries, q."leasedUntil", q.size::float8,
         c."lastSyncId", c.type, c.action, c.data, c."updatedFrom", c.actor, c."createdAt",
         w.format, w.url, w."targetEncrypted", w.emails, w."includeText", w."secretEncrypted", w."failingSince",
         case when w."previousSecretUntil" > $2 then w."previousSecretEncrypted" end as "previousSecretEncrypted"
    from claimed q
    left join lateral ${deliveryContentSql("$1", "q")} c on true
    left join lateral ${deliveryTargetSql("$1", 'q."targetId"')} w on w.enabled`;

type Row = Omit<ClaimedDelivery, "content" | "target"> & Partial<DeliveryContent> & Partial<DeliveryTargetRow>;

/**
 * Claims due deliveries of the given organizations, or of all organizations. Claims one organization at a time, because
 * the rows of an organization are on one node, while a query over all organizations asks every node. When the promise
 * resolves, the claims are committed and sending may begin.
 */
export async function claimDueDeliveries(
  db: Database,
  capacity: DeliveryCapacity,
  organizations?: readonly string[],
): Promise<ClaimedDelivery[]> {
  const now = getMonotonicDate();
  const { ids, within } = await findOrganizationsWithDueDeliveries(db, organizations, now);
  const claimed: ClaimedDelivery[] = [];
  let { deliveries, bytes } = capacity;
  for (const id of ids) {
    if (deliveries <= 0 || bytes <= 0) break;
    const held = capacity.held.get(id) ?? { deliveries: 0, bytes: 0 };
    const share = {
      deliveries: computeAdditionalShare(deliveries, held.deliveries),
      bytes: computeAdditionalShare(bytes, held.bytes),
    };
    if (share.deliveries <= 0 || share.bytes <= 0) continue;
    const rows = await within(() => claimOf(db, id, { ...capacity, ...share }, now), []);
    deliveries -= rows.length;
    bytes -= rows.reduce((sum, { size }) => sum + size, 0);
    claimed.push(...rows);
  }
  return claimed;
}

async function claimOf(
  db: Database,
  organizationId: string,
  capacity: DeliveryCapacity,
  now: Date,
): Promise<ClaimedDelivery[]> {
  const leasedUntil = new Date(now.getTime() + LEASE_MS);
  const busy = [[...capacity.busy.keys()], [...capacity.busy.values()]];
  const rows = await db.query<Row>({
    name: "stream-claim",
    text: CLAIM,
    values: [organizationId, now, leasedUntil, ...busy, capacity.deliveries, capacity.bytes],
  });
  return rows.map(toClaimed);
}

const toClaimed = (row: Row): ClaimedDelivery => ({
  ...row,
  content: row.type ? (row as DeliveryContent) : null,
  target: row.format ? (row as DeliveryTargetRow) : null,
});
