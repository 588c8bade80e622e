import type { Transaction } from "../../../db/open.ts";
import { listSpellings } from "../../../formats/names.ts";
import { DAY_MS } from "../../../formats/time.ts";
import {
  isSessionInStateSql,
  STUCK_AFTER_MS,
  sessionStateAtSql,
  stateEnteredAtSql,
  stateEventIdSql,
} from "../../resources/recorded/sessions/state.ts";
import { type NoticeFiring, readFiringGroups, resolveNotices, type WatchedNoticeRule } from "./firing.ts";

/** Maximum age of a condition, in ms. A condition that began earlier sends no notice. */
const RECENT_MS = DAY_MS;
/** Maximum rows of one query. */
const MOST = 200;

interface Pass {
  trx: Transaction;
  organizationId: string;
  rule: WatchedNoticeRule;
  at: Date;
  /** Sessions with new events since the last pass, as far as this process was notified. */
  touched: readonly string[];
  /** True on slow passes, which also read sessions without a wake. */
  slow: boolean;
}

/** Returns the time from which events count for a rule: `watchedFrom`, but not earlier than one day ago. */
const recentFrom = ({ rule, at }: Pass): Date =>
  new Date(Math.max(rule.watchedFrom.getTime(), at.getTime() - RECENT_MS));

/** Returns 0, 1, 2, …: the number of times that a cost has doubled since the threshold. */
const level = (cost: number, threshold: number): string => String(Math.floor(Math.log2(cost / threshold)));

/** Raw SQL: adds the cost of a session and of its deltas that are not rolled up yet. */
const costOf = (s: string): string => `(coalesce(${s}.cost, 0) + coalesce((select sum(d.cost) from recorded_delta d
  where d.organization_id = $1 and d.session_id = ${s}.session_id), 0))::float8`;

/**
 * Raw SQL: reads touched sessions by key, and the recently active sessions among the 1,000 most expensive. The second
 * select uses the index by cost. Deltas are rolled up within half a minute, so only the first select adds deltas.
 */
const COSTS = `select session_id as id, cost from (
    select session_id, ${costOf("s")} as cost from recorded_session s where organization_id = $1 and session_id = any($2::uuid[])
      and last_received_at >= $4
    union
    select session_id, cost::float8 from (select session_id, cost, last_received_at from recorded_session
        where organization_id = $1 and (coalesce(cost, 0)::float8) >= $3 order by organization_id desc, (coalesce(cost, 0)::float8) desc, session_id desc limit 1000) r
      where last_received_at >= $4) c where cost >= $3 limit ${MOST}`;

async function sessionCosts(pass: Pass): Promise<NoticeFiring[]> {
  const { trx, organizationId, rule, touched } = pass;
  const threshold = rule.threshold ?? 0;
  const values = [organizationId, touched, threshold, recentFrom(pass)];
  const found = await trx.query<{ id: string; cost: number }>({ name: "notices-costs", text: COSTS, values });
  return found.map(({ id, cost }) => ({
    ...{ ruleId: rule.id, group: id, event: "session.cost", instant: true },
    value: level(cost, threshold),
    subject: { sessionId: id, cost },
  }));
}

/**
 * Raw SQL: sums the hourly costs of a day once by agent and once by model, and returns the larger sum. The sums may
 * differ, because an event without an agent or without a model is missing in one of the sums.
 */
const DAY = `select (coalesce(max(cost), 0)::float8 / 1000000000) as cost from (
    select kind, sum(cost) as cost from recorded_usage_hour
     where organization_id = $1 and kind in ('agent', 'model') and hour >= $2::timestamptz and hour < $2::timestamptz + interval '1 day'
     group by kind) k`;

async function dayCost({ trx, organizationId, rule, at }: Pass): Promise<NoticeFiring[]> {
  const threshold = rule.threshold ?? 0;
  const day = at.toISOString().slice(0, 10);
  const [row] = await trx.query<{ cost: number }>({ name: "notices-day", text: DAY, values: [organizationId, day] });
  const cost = row?.cost ?? 0;
  if (cost < threshold) return [];
  const value = level(cost, threshold);
  return [{ ruleId: rule.id, group: day, event: "day.cost", instant: true, value, subject: { day, cost } }];
}

/**
 * Raw SQL: calls and failures of each tool since $2, for tools with at least $4 calls of which at least $5 percent
 * failed.
 */
const RATES = `select tool, sum(calls)::float8 as calls, sum(failures)::float8 as failures from recorded_tool_hour
   where organization_id = $1 and hour >= $2 and ($3::text[] is null or tool = any($3))
   group by tool having sum(calls) >= $4 and sum(failures) * 100 >= $5 * sum(calls) order by sum(failures) desc limit ${MOST}`;

/** Finds the tools whose failure rate in the previous and the current hour reaches the rule's threshold. */
async function failureRates({ trx, organizationId, rule, at }: Pass): Promise<NoticeFiring[]> {
  const hour = 60 * 60_000;
  const since = new Date(Math.floor(at.getTime() / hour) * hour - hour);
  const values = [organizationId, since, rule.tool && listSpellings(rule.tool), rule.minimumCalls, rule.threshold];
  const found = await trx.query<{ tool: string; calls: number; failures: number }>({
    name: "notices-rates",
    text: RATES,
    values,
  });
  const firings = found.map(({ tool, calls, failures }) => ({
    ...{ ruleId: rule.id, group: tool, event: "tool.failureRate", value: "high" },
    subject: { tool, calls, failures },
  }));
  await endOthers({ trx, organizationId, rule, at }, firings);
  return firings;
}

/**
 * Resolves firing groups that are not in `found`. If `found` has reached the query's limit, nothing is resolved,
 * because a missing group may still fire.
 */
async function endOthers(
  { trx, organizationId, rule, at }: Pick<Pass, "trx" | "organizationId" | "rule" | "at">,
  found: readonly NoticeFiring[],
) {
  const groups = new Set(found.map(({ group }) => group));
  const firing = await readFiringGroups(trx, organizationId, rule.id, at);
  const over = firing.filter(({ group }) => !groups.has(group) && found.length < MOST);
  await resolveNotices(
    trx,
    organizationId,
    over.map(({ group }) => ({ ruleId: rule.id, group })),
    at,
  );
}

/**
 * Raw SQL: failure groups that are new, that are back after a quiet time, or that are back after their issue was
 * completed. Each of the three selects uses an index.
 */
const GROUPS = `select g.group_id as id, g.tool, g.session_id as "sessionId", g.event_id as "eventId", k.kind from (
    (select group_id, 'new' as kind from recorded_failure_group where organization_id = $1 and first_at >= $2
      order by first_at desc limit ${MOST})
    union all (select group_id, 'back' from recorded_failure_group where organization_id = $1 and back_at >= $2
      order by back_at desc limit ${MOST})
    union all (select "groupId", 'back' from "failureIssue" where "organizationId" = $1 and "reopenedAt" >= $2
      order by "reopenedAt" desc limit ${MOST})) k
  join recorded_failure_group g on g.organization_id = $1 and g.group_id = k.group_id and g.failures > 0
  where not exists (select from "failureIgnore" n where n."organizationId" = $1 and n."groupId" = g.group_id
    and (n.until is null or n.until > $3) and (n."untilCount" is null or n."untilCount" > g.failures))
  order by k.kind desc`;

async function failureGroups(pass: Pass): Promise<NoticeFiring[]> {
  const { trx, organizationId, rule, at } = pass;
  const from = recentFrom(pass);
  const found = await trx.query<{ id: string; tool: string; sessionId: string; eventId: string; kind: string }>({
    ...{ name: "notices-groups", text: GROUPS, values: [organizationId, from, at] },
  });
  return onePerGroup(
    found.flatMap(({ id, tool, sessionId, eventId, kind }) =>
      rule.failureKinds.includes(kind)
        ? [
            {
              ...{ ruleId: rule.id, group: id, event: `failureGroup.${kind}`, value: kind, instant: true },
              subject: { failureGroupId: id, tool, sessionId, eventId },
            },
          ]
        : [],
    ),
  );
}

/** Keeps the last firing of each group, because one statement cannot store a group twice. */
const onePerGroup = (firings: readonly NoticeFiring[]): NoticeFiring[] => [
  ...new Map(firings.map((each) => [each.group, each])).values(),
];

interface InState {
  id: string;
  state: string;
  since: Date;
  eventId: string | null;
}

/** Raw SQL: the state of a session `s`. A working session without reports since $3 counts as stuck. */
const STATE = `s.session_id as id, ${sessionStateAtSql("s", "$3")} as state, ${stateEnteredAtSql("s", "$3")} as since, ${stateEventIdSql("s", "$3")} as "eventId"`;

/** Raw SQL: reads touched sessions by key. */
const TOUCHED = `select ${STATE} from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[])`;

/**
 * Raw SQL: reads the newest sessions in a state, because this process may not have received a wake for all sessions.
 * The conditions are the same as in the inbox, and each state is one range of an index.
 */
const inStateSql = (state: string): string => `select ${STATE} from recorded_session s where s.organization_id = $1
    and ($2::uuid[] is null or true) and ${isSessionInStateSql(state, "s", () => "$3")} order by s."timestamp" desc limit ${MOST}`;

/**
 * Finds the sessions that are now in one of the rule's states. Resolves the notices of sessions that left these states.
 */
async function sessionStates(pass: Pass): Promise<NoticeFiring[]> {
  const { trx, organizationId, rule, at, touched, slow } = pass;
  const stuckBefore = new Date(at.getTime() - STUCK_AFTER_MS);
  const read = (name: string, text: string, ids: readonly string[]) =>
    trx.query<InState>({ name, text, values: [organizationId, ids, stuckBefore] });
  const found = touched.length > 0 ? await read("notices-touched", TOUCHED, touched) : [];
  if (slow)
    for (const state of rule.sessionStates) found.push(...(await read(`notices-${state}`, inStateSql(state), [])));
  const from = recentFrom(pass);
  const firing = found.filter(({ state, since }) => rule.sessionStates.includes(state) && since >= from);
  await endLeft(pass, found, stuckBefore);
  return onePerGroup(
    firing.map(({ id, state, since, eventId }) => ({
      ...{ ruleId: rule.id, group: id, event: `session.${state}` },
      // Each question of a waiting session has a value of its own, so a new question counts as a change. A session that
      // is stuck again has the same value, which is no change.
      value: state.startsWith("waiting") ? `${state} ${eventId ?? since.toISOString()}` : state,
      subject: { sessionId: id, eventId },
      instant: state === "ended",
    })),
  );
}

/** Resolves the notices of sessions that left the rule's states or were deleted. */
async function endLeft(pass: Pass, known: readonly InState[], stuckBefore: Date): Promise<void> {
  const { trx, organizationId, rule, at, slow } = pass;
  const asked = slow ? (await readFiringGroups(trx, organizationId, rule.id, at)).map(({ group }) => group) : [];
  const values = [organizationId, asked, stuckBefore];
  const read = asked.length > 0 ? await trx.query<InState>({ name: "notices-touched", text: TOUCHED, values }) : [];
  const now = new Map([...known, ...read].map(({ id, state }) => [id, state]));
  const left = [...new Set([...asked, ...now.keys()])].filter((id) => !rule.sessionStates.includes(now.get(id) ?? ""));
  await resolveNotices(
    trx,
    organizationId,
    left.map((group) => ({ ruleId: rule.id, group })),
    at,
  );
}

const LOOKS: Partial<Record<WatchedNoticeRule["condition"], (pass: Pass) => Promise<NoticeFiring[]>>> = {
  sessionState: sessionStates,
  sessionCost: sessionCosts,
  dayCost,
  toolFailureRate: failureRates,
  failureGroup: failureGroups,
};

/** Conditions that depend on single sessions. A new event of a session triggers the check of these conditions. */
const OF_SESSIONS: readonly WatchedNoticeRule["condition"][] = ["sessionState", "sessionCost"];

/** True for a rule on recorded data. With `touched`, true only for rules that are checked for each touched session. */
export const usesRecordedData = ({ condition }: WatchedNoticeRule, touched?: "touched"): boolean =>
  touched ? OF_SESSIONS.includes(condition) : condition in LOOKS;

/**
 * Checks one rule against recorded data. Returns the firings, and resolves notices whose condition is no longer true.
 */
export const checkRecordedRule = (pass: Pass): Promise<NoticeFiring[]> =>
  LOOKS[pass.rule.condition]?.(pass) ?? Promise.resolve([]);
