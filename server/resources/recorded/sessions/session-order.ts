import { knex, toStatement } from "../../../../db/builder.ts";
import { type AppError, inputError } from "../../../errors.ts";
import type { OrderStep } from "../../../read/entity.ts";
import { columnSql } from "../../../read/row.ts";
import type { Scope } from "../../../scope.ts";
import type { CoercedArguments } from "../../resource.ts";

/** Maximum number of sessions that a sort may read individually. */
const MAX_EXAMINED = 20_000;

/**
 * Sort orders of sessions. Each expression is exactly the expression of an index, so that a page is read from the index
 * and not all sessions are read. The values come from the session's row, which does not include data of about the last
 * minute.
 */
export const sessionOrders: Record<string, readonly OrderStep[]> = {
  startedAt: [{ type: "timestamp", sql: (row) => columnSql(row, "startedAt") }],
  duration: [
    {
      type: "float",
      sql: ({ alias }) =>
        `((extract(epoch from (coalesce(${alias}.ended_at, ${alias}."timestamp") - ${alias}."timestamp")) * 1000)::float8)`,
    },
  ],
  cost: [{ type: "float", sql: ({ alias }) => `(coalesce(${alias}.cost, 0)::float8)` }],
  failures: [{ type: "integer", sql: ({ alias }) => `(coalesce(${alias}.failures, 0))` }],
};

/**
 * Rejects a sort for which a filter would require reading too many sessions. The index of the sort does not contain
 * the filter, so a filter with few matches requires reading all sessions of the range.
 * @throws inputError for a sort with several steps, and for too many sessions.
 */
export async function rejectExpensiveSessionSort(
  { db, organizationId }: Scope,
  { sort, filter }: CoercedArguments,
): Promise<void> {
  const steps = (sort ?? []) as readonly Readonly<Record<string, unknown>>[];
  if (steps.length > 1) throw inputError("sort takes exactly one step for sessions", "sort");
  const by = Object.keys(steps[0] ?? {})[0];
  if (!by || by === "startedAt" || !asksRows(filter)) return;
  const { from, to } = timeOf(filter);
  const inTime = knex("recorded_session")
    .where({ organization_id: organizationId })
    .limit(MAX_EXAMINED + 1);
  if (from) inTime.where("timestamp", ">=", from);
  if (to) inTime.where("timestamp", "<=", to);
  const counted = knex.count("* as count").from(inTime.select("session_id").as("s"));
  const [found] = await db.query<{ count: string }>(toStatement(counted), undefined, {
    queueClass: "read",
    tenant: organizationId,
  });
  if (Number(found?.count) > MAX_EXAMINED) throw tooMany(by);
}

const tooMany = (by: string): AppError =>
  inputError(
    `to sort by ${by} with this filter more than ${MAX_EXAMINED.toLocaleString("en")} sessions would have to be read; narrow startedAt, or sort by startedAt`,
    "sort",
  );

type Condition = Readonly<Record<string, unknown>>;

/** Returns true for a filter with conditions other than a time or ids. */
function asksRows(filter: unknown): boolean {
  return Object.entries((filter ?? {}) as Condition).some(([name, value]) => {
    if (value === null || value === undefined || name === "startedAt" || name === "id") return false;
    return name === "and" ? (value as unknown[]).some(asksRows) : true;
  });
}

/** Returns the range of start times that a filter requires. Reads conditions at the top level and inside `and`. */
function timeOf(filter: unknown): { from?: string; to?: string } {
  const { startedAt, and } = (filter ?? {}) as { startedAt?: Condition; and?: unknown[] };
  const times = (and ?? []).map(timeOf);
  const { gte, gt, lt, lte, eq } = (startedAt ?? {}) as Record<string, string | null | undefined>;
  const from = [gte, gt, eq, ...times.map((time) => time.from)]
    .filter((each) => typeof each === "string")
    .sort()
    .at(-1);
  const to = [lt, lte, eq, ...times.map((time) => time.to)].filter((each) => typeof each === "string").sort()[0];
  return { ...(from && { from }), ...(to && { to }) };
}
