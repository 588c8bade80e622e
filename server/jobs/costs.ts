import { affectsAllParts, PartRunner } from "../../db/errors/parts.ts";
import type { Database, Transaction } from "../../db/open.ts";
import { groupBy } from "../../formats/groups.ts";
import { readRecordingSettings } from "../accounts/switches.ts";
import { HOUR_WRITE, THOUGHTS } from "../agents/observation.ts";
import { foldLockKey } from "../ingest/observe/project/transaction.ts";
import { type CostCalculator, NANODOLLARS_PER_DOLLAR } from "../prices/prices.ts";
import { createMarkHoursStatements } from "../resources/recorded/analytics/index.ts";
import { costCountsSql, costSourceSql, measuresSql } from "../resources/recorded/kinds.ts";
import { COSTS_JOB } from "../resources/recorded/recount.ts";
import type { Runtime } from "../runtime.ts";
import { eachOrganization, type ScanPosition } from "./organizations.ts";

/** Events per transaction. */
const EVENTS = 2_000;
/** Time after a change of prices. After this time, every server uses the changed prices. */
const SETTLED = "interval '3 seconds'";

/** Event without a reported cost. */
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
  hourWrite: number | null;
  before: string | null;
  is_missing: number;
}

/**
 * Amounts that changed costs add to the totals of a session: the cost in billionths of a US dollar, and the numbers of
 * computed and missing costs.
 */
interface Addition {
  session_id: string;
  nano: number;
  computed: number;
  missing: number;
}

/** Position in the organization's events at which the job continues. */
interface CostPlace extends ScanPosition {
  /**
   * Start of the first slice in which a session failed. After the last slice, the job starts again from this position.
   */
  again?: ScanPosition;
}

/**
 * Recomputes the costs of the last 90 days in organizations whose prices changed, event by event in order of time.
 * Updates the values derived from costs in the same transaction. Works in slices, and is safe in any number of
 * concurrent processes. A failed session does not block others; the next run tries the session again. Resolves with the
 * number of changed costs.
 */
export const recountCosts = (runtime: Pick<Runtime, "db" | "secret">, settled = SETTLED): Promise<number> =>
  eachOrganization(
    runtime.db,
    { table: "recorded_rollup", only: `positions->'${COSTS_JOB}' is not null` },
    async (id) => {
      const attempts = new PartRunner();
      let changed = 0;
      for (let slice: Slice = { changed: 0, isLast: false }; !slice.isLast; changed += slice.changed) {
        const { prices } = await readRecordingSettings(runtime, id);
        slice = await recountSlice(runtime.db, { organizationId: id, prices, settled }, attempts);
      }
      attempts.end();
      return changed;
    },
  );

interface Slice {
  changed: number;
  /** True if no slice is left, or if the prices changed so recently that some servers may still use the old prices. */
  isLast: boolean;
}

/** Recomputes a slice in one transaction. If the transaction fails, processes each session of the slice separately. */
async function recountSlice(db: Database, work: Work, attempts: PartRunner): Promise<Slice> {
  try {
    return await db.transaction((trx) => recountSome(trx, work));
  } catch (error) {
    if (affectsAllParts(error)) throw error;
    return db.transaction((trx) => recountSome(trx, work, attempts));
  }
}

interface Work {
  organizationId: string;
  prices: CostCalculator;
  settled: string;
}

/**
 * Recomputes a slice under the fold lock, so that no fold runs in the meantime. With `attempts`, a failure affects only
 * a single session.
 */
async function recountSome(trx: Transaction, work: Work, attempts?: PartRunner): Promise<Slice> {
  const { organizationId, prices } = work;
  await trx.query({ text: `select pg_advisory_xact_lock(${foldLockKey(organizationId)})` });
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
async function writeEach(trx: Transaction, { organizationId }: Work, changes: readonly Change[], attempts: PartRunner) {
  let changed = 0;
  for (const [sessionId, own] of groupBy(changes, ({ event }) => event.session_id))
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

/**
 * Raw SQL, like all statements here; docs/database.md explains why. Other processes wait here for the row lock and
 * continue after this process.
 */
async function placeIn(trx: Transaction, { organizationId, settled }: Work): Promise<CostPlace | undefined> {
  const [row] = await trx.query<{ place: CostPlace | null }>({
    text: `select r.positions->'${COSTS_JOB}' as place from recorded_rollup r join organization o on o.id = r.organization_id
      where r.organization_id = $1 and o."updatedAt" <= now() - ${settled} for update of r`,
    values: [organizationId],
  });
  return row?.place ?? undefined;
}

const { model, ...measures } = measuresSql("e");
const AFTER = `e.organization_id = $1 and e.timestamp >= $2::timestamptz and (e.timestamp, e.event_id) > ($2::timestamptz, $3::uuid)`;
const NEXT = `select e.event_id, e.timestamp from recorded_event e where ${AFTER} order by e.timestamp, e.event_id limit ${EVENTS}`;
/**
 * SQL for a token count in the metadata of an observed event. Returns null for other events, because their senders may
 * write any text into the metadata.
 */
const tokensIn = (name: string) =>
  `case when e.part is not null then substring(e.metadata->>'${name}' from '^\\d{1,15}$')::float8 end`;
const EVENTS_AFTER = `select e.event_id as id, e.session_id, case when e.part is not null then s.source end as source,
    (extract(epoch from e.timestamp) * 1000)::float8 as at, ${model} as model, (${measures.input_tokens})::float8 as input,
    (${measures.output_tokens})::float8 as output, (${measures.cache_read_tokens})::float8 as "cacheRead",
    (${measures.cache_write_tokens})::float8 as "cacheWrite", e.computed_cost::text as before,
    ${tokensIn(THOUGHTS)} as thoughts, ${tokensIn(HOUR_WRITE)} as "hourWrite",
    ${costCountsSql("e").missing_costs} as is_missing
  from (${NEXT}) n join recorded_event e on e.organization_id = $1 and e.event_id = n.event_id
  left join recorded_session s on s.organization_id = $1 and s.session_id = e.session_id
  where ${costSourceSql("e")} <> 'reported' and ${model} is not null`;

async function nextPlace(
  trx: Transaction,
  organizationId: string,
  { at, id }: ScanPosition,
): Promise<ScanPosition | undefined> {
  const [last] = await trx.query<ScanPosition & { events: number }>({
    text: `select event_id as id, timestamp::text as at, (count(*) over ())::integer as events from (${NEXT}) n
      order by timestamp desc, event_id desc limit 1`,
    values: [organizationId, at, id],
  });
  return last && last.events === EVENTS ? { at: last.at, id: last.id } : undefined;
}

async function keep(trx: Transaction, organizationId: string, place: CostPlace | undefined): Promise<void> {
  await trx.query({
    text: `update recorded_rollup set positions = positions - '${COSTS_JOB}' || $2::jsonb where organization_id = $1`,
    values: [organizationId, JSON.stringify(place ? { [COSTS_JOB]: place } : {})],
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
  for (const marks of createMarkHoursStatements(
    organizationId,
    changes.map(({ event }) => event.at),
  ))
    await trx.query(marks);
  return changes.length;
}

/** Skips sessions without totals. Computing their totals later will use the new costs. */
const ADD = `update recorded_session s set cost = coalesce(s.cost, 0) + n.nano::numeric / 1000000000,
    computed_costs = coalesce(s.computed_costs, 0) + n.computed, missing_costs = coalesce(s.missing_costs, 0) + n.missing
  from jsonb_to_recordset($2::jsonb) n (session_id uuid, nano bigint, computed bigint, missing bigint)
  where s.organization_id = $1 and s.session_id = n.session_id and s.events is not null`;

const nanoOf = (cost: string | null): number => Math.round(Number(cost ?? 0) * NANODOLLARS_PER_DOLLAR);

function additionsOf(changes: readonly Change[]): Addition[] {
  const additions = new Map<string, Addition>();
  for (const { event, cost } of changes) {
    const { session_id, before, is_missing } = event;
    const sum = additions.get(session_id) ?? { session_id, nano: 0, computed: 0, missing: 0 };
    additions.set(session_id, sum);
    sum.nano += nanoOf(cost) - nanoOf(before);
    sum.computed += Number(cost !== null) - Number(before !== null);
    // An event with tokens and without a cost counts as missing.
    sum.missing += Number(cost === null) - is_missing;
  }
  return [...additions.values()];
}
