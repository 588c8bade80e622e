import { Attempts, affectsAll } from "../../db/errors/parts.ts";
import type { Database, Transaction } from "../../db/open.ts";
import { switchesOf } from "../accounts/switches.ts";
import { foldLockOf } from "../ingest/observe/project/transaction.ts";
import { NANO, type Prices } from "../prices/prices.ts";
import { markHours } from "../resources/recorded/analytics/index.ts";
import { costCountsOf, costSourceOf, measuresOf } from "../resources/recorded/kinds.ts";
import { COSTS } from "../resources/recorded/recount.ts";
import type { Runtime } from "../runtime.ts";
import { eachOrganization, type Place } from "./organizations.ts";

/** Events of one transaction. */
const EVENTS = 2_000;
/** Every server goes by changed prices within this time. */
const SETTLED = "interval '3 seconds'";

/** An event without a reported cost. */
interface Uncosted {
  id: string;
  session_id: string;
  source: string | null;
  /** Epoch ms. */
  at: number;
  model: string | null;
  input: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  thoughts: number | null;
  before: string | null;
  is_missing: number;
}

/** The additions of a changed cost to its session: billionths of a dollar, and counts. */
interface Addition {
  session_id: string;
  nano: number;
  computed: number;
  missing: number;
}

/** The place where a walk through events continues. */
interface CostPlace extends Place {
  /** The first slice of which a session failed: the walk begins again there after its last slice. */
  again?: Place;
}

/**
 * Computes the costs of the last 90 days anew in organizations whose prices changed, event by event in the order of time.
 * What is derived from them follows in the same transaction. In slices, and safe on any number of processes. A session that
 * fails holds no other up, and the next run tries it again. Resolves with the number of changed costs.
 */
export const recountCosts = (runtime: Pick<Runtime, "db" | "secret">, settled = SETTLED): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_rollup", only: `positions->'${COSTS}' is not null` }, async (id) => {
    const attempts = new Attempts();
    let changed = 0;
    for (let slice: Slice = { changed: 0, isLast: false }; !slice.isLast; changed += slice.changed) {
      const { prices } = await switchesOf(runtime, id);
      slice = await recountSlice(runtime.db, { organizationId: id, prices, settled }, attempts);
    }
    attempts.end();
    return changed;
  });

interface Slice {
  changed: number;
  /** True when there is no more to do, or not yet. */
  isLast: boolean;
}

/** Recounts a slice in one transaction. When that fails, each session of the slice fails alone. */
async function recountSlice(db: Database, work: Work, attempts: Attempts): Promise<Slice> {
  try {
    return await db.transaction((trx) => recountSome(trx, work));
  } catch (error) {
    if (affectsAll(error)) throw error;
    return db.transaction((trx) => recountSome(trx, work, attempts));
  }
}

interface Work {
  organizationId: string;
  prices: Prices;
  settled: string;
}

/** No event is folded meanwhile. With `attempts`, each session fails alone. */
async function recountSome(trx: Transaction, work: Work, attempts?: Attempts): Promise<Slice> {
  const { organizationId, prices } = work;
  await trx.query({ text: `select pg_advisory_xact_lock(${foldLockOf(organizationId)})` });
  const place = await placeIn(trx, work);
  if (!place) return { changed: 0, isLast: true };
  const events = await trx.query<Uncosted>({ text: EVENTS_AFTER, values: [organizationId, place.at, place.id] });
  const changes = events.flatMap((event) => {
    const cost = prices.costOf(event)?.toFixed(9) ?? null;
    return Number(cost ?? -1) === Number(event.before ?? -1) ? [] : [{ event, cost }];
  });
  const failures = attempts?.failures;
  const changed = await (attempts ? writeEach(trx, work, changes, attempts) : write(trx, organizationId, changes));
  const again = place.again ?? (attempts?.failures === failures ? undefined : { at: place.at, id: place.id });
  const next = await nextPlace(trx, organizationId, place);
  await keep(trx, organizationId, next ? { ...next, ...(again && { again }) } : again);
  return { changed, isLast: !next };
}

/** Writes the costs of each session under a savepoint. */
async function writeEach(trx: Transaction, { organizationId }: Work, changes: readonly Change[], attempts: Attempts) {
  const sessions = new Map<string, Change[]>();
  for (const change of changes) {
    const { session_id } = change.event;
    sessions.set(session_id, [...(sessions.get(session_id) ?? []), change]);
  }
  let changed = 0;
  for (const [sessionId, own] of sessions)
    changed += await attempts.run({ sessionId }, async () => {
      await trx.query({ text: "savepoint costs" });
      try {
        return await write(trx, organizationId, own);
      } catch (error) {
        await trx.query({ text: "rollback to savepoint costs" });
        throw error;
      }
    });
  return changed;
}

/** Raw SQL, as all of this: docs/database.md says why. Another process waits here, and goes on behind this one. */
async function placeIn(trx: Transaction, { organizationId, settled }: Work): Promise<CostPlace | undefined> {
  const [row] = await trx.query<{ place: CostPlace | null }>({
    text: `select r.positions->'${COSTS}' as place from recorded_rollup r join organization o on o.id = r.organization_id
      where r.organization_id = $1 and o."updatedAt" <= now() - ${settled} for update of r`,
    values: [organizationId],
  });
  return row?.place ?? undefined;
}

const { model, ...measures } = measuresOf("e");
const AFTER = `e.organization_id = $1 and e.timestamp >= $2::timestamptz and (e.timestamp, e.event_id) > ($2::timestamptz, $3::uuid)`;
const NEXT = `select e.event_id, e.timestamp from recorded_event e where ${AFTER} order by e.timestamp, e.event_id limit ${EVENTS}`;
const EVENTS_AFTER = `select e.event_id as id, e.session_id, case when e.part is not null then s.source end as source,
    (extract(epoch from e.timestamp) * 1000)::float8 as at, ${model} as model, (${measures.input_tokens})::float8 as input,
    (${measures.output_tokens})::float8 as output, (${measures.cache_read_tokens})::float8 as "cacheRead",
    (${measures.cache_write_tokens})::float8 as "cacheWrite", e.computed_cost::text as before,
    case when e.part is not null then substring(e.metadata->>'thoughts_token_count' from '^\\d{1,15}$')::float8 end as thoughts,
    ${costCountsOf("e").missing_costs} as is_missing
  from (${NEXT}) n join recorded_event e on e.organization_id = $1 and e.event_id = n.event_id
  left join recorded_session s on s.organization_id = $1 and s.session_id = e.session_id
  where ${costSourceOf("e")} <> 'reported' and ${model} is not null`;

async function nextPlace(trx: Transaction, organizationId: string, { at, id }: Place): Promise<Place | undefined> {
  const [last] = await trx.query<Place & { events: number }>({
    text: `select event_id as id, timestamp::text as at, (count(*) over ())::integer as events from (${NEXT}) n
      order by timestamp desc, event_id desc limit 1`,
    values: [organizationId, at, id],
  });
  return last && last.events === EVENTS ? { at: last.at, id: last.id } : undefined;
}

async function keep(trx: Transaction, organizationId: string, place: CostPlace | undefined): Promise<void> {
  await trx.query({
    text: `update recorded_rollup set positions = positions - '${COSTS}' || $2::jsonb where organization_id = $1`,
    values: [organizationId, JSON.stringify(place ? { [COSTS]: place } : {})],
  });
}

interface Change {
  event: Uncosted;
  cost: string | null;
}

async function write(trx: Transaction, organizationId: string, changes: readonly Change[]): Promise<number> {
  if (changes.length === 0) return 0;
  const additions = additionsOf(changes);
  const sessions = additions.map(({ session_id }) => session_id);
  await trx.query({
    text: `select from recorded_session where organization_id = $1 and session_id = any($2::uuid[]) order by session_id for update`,
    values: [organizationId, sessions],
  });
  await trx.query({
    text: `update recorded_event e set computed_cost = n.cost from unnest($2::uuid[], $3::numeric[]) n (id, cost)
      where e.organization_id = $1 and e.event_id = n.id`,
    values: [organizationId, changes.map(({ event }) => event.id), changes.map(({ cost }) => cost)],
  });
  await trx.query({ text: ADD, values: [organizationId, JSON.stringify(additions)] });
  for (const marks of markHours(
    organizationId,
    changes.map(({ event }) => event.at),
  ))
    await trx.query(marks);
  return changes.length;
}

/** Sessions whose totals are not made yet will count the new costs. */
const ADD = `update recorded_session s set cost = coalesce(s.cost, 0) + n.nano::numeric / 1000000000,
    computed_costs = coalesce(s.computed_costs, 0) + n.computed, missing_costs = coalesce(s.missing_costs, 0) + n.missing
  from jsonb_to_recordset($2::jsonb) n (session_id uuid, nano bigint, computed bigint, missing bigint)
  where s.organization_id = $1 and s.session_id = n.session_id and s.events is not null`;

const nanoOf = (cost: string | null): number => Math.round(Number(cost ?? 0) * NANO);

function additionsOf(changes: readonly Change[]): Addition[] {
  const additions = new Map<string, Addition>();
  for (const { event, cost } of changes) {
    const { session_id, before, is_missing } = event;
    const sum = additions.get(session_id) ?? { session_id, nano: 0, computed: 0, missing: 0 };
    additions.set(session_id, sum);
    sum.nano += nanoOf(cost) - nanoOf(before);
    sum.computed += Number(cost !== null) - Number(before !== null);
    // Without a cost, an event with tokens is missing one.
    sum.missing += Number(cost === null) - is_missing;
  }
  return [...additions.values()];
}
