import { z } from "zod";
import { knex, toStatement } from "../../../../db/builder.ts";
import { buildNfcConditionSql } from "../../../../db/text/canonical.ts";
import { isUuid } from "../../../../formats/uuid.ts";
import { writeAuditEntry } from "../../../accounts/audit.ts";
import { notFound } from "../../../errors.ts";
import type { SqlRow } from "../../../read/entity.ts";
import { bindOrganization, bindParameter } from "../../../read/row.ts";
import type { MutationResult, WriteContext } from "../../../write/write.ts";
import { isOpenSql } from "../../issue/readiness.ts";
import type { Mutation } from "../../resource.ts";
import { isTurnSql } from "../kinds.ts";

/** The parts of a session that retention deletes: its texts, or the whole session. */
export type RetentionPart = "texts" | "session";

/** A session in a statement: its alias, and SQL for its organization. */
interface SessionSql {
  alias: string;
  organization: string;
}

/**
 * For each part, the organization's column with the number of days, and the key with the number of days in the entry of
 * an agent.
 */
const DAYS = { texts: ["retentionTextDays", "textDays"], session: ["retentionSessionDays", "sessionDays"] } as const;

/** SQL condition: a text equals the agent's name in an entry `r` of `retentionAgents`, in any Unicode normal form. */
const isNamed = (text: string): string =>
  buildNfcConditionSql(text, (value) => `${value} = normalize(r ->> 'agent', NFC)`);

/**
 * SQL for the number of days that the organization has set for the agents of a session. For several agents, the highest
 * number applies.
 */
const ofAgents = (
  { alias: s, organization: own }: SessionSql,
  days: string,
): string => `(select max((r ->> '${days}')::integer)
  from organization o cross join lateral jsonb_array_elements(o."retentionAgents") r
  where o.id = ${own} and (${isNamed(`${s}.source`)} or exists (select from recorded_event e
    where e.organization_id = ${own} and e.session_id = ${s}.session_id
      and ${isNamed("e.primitive_name")} and ${isTurnSql("e")})))`;

/**
 * SQL for the number of days after which retention deletes a part of a session `s`; null for never. `most` is SQL for
 * the server's own limit in days (0 for none), and no organization keeps data longer. Texts are never kept longer than
 * their session.
 */
export function retentionDaysSql(part: RetentionPart, session: SessionSql, most: string): string {
  const [own, each] = DAYS[part];
  const chosen = `coalesce(${ofAgents(session, each)}, (select o."${own}" from organization o where o.id = ${session.organization}))`;
  return `least(nullif(${most}, 0), ${part === "texts" ? `${chosen}, ${retentionDaysSql("session", session, most)}` : chosen})`;
}

/**
 * SQL for the lowest number of days after which retention deletes a part of any session of an organization; null for
 * never.
 */
export function shortestRetentionSql(part: RetentionPart, organization: string, most: string): string {
  const parts = part === "texts" ? (["texts", "session"] as const) : (["session"] as const);
  const all = parts.flatMap((each) => {
    const [own, ofAgent] = DAYS[each];
    return [
      `(select o."${own}" from organization o where o.id = ${organization})`,
      `(select min((r ->> '${ofAgent}')::integer) from organization o
        cross join lateral jsonb_array_elements(o."retentionAgents") r where o.id = ${organization})`,
    ];
  });
  return `least(nullif(${most}, 0), ${all.join(", ")})`;
}

/**
 * SQL condition: retention keeps a session `s` at any age, because an owner holds the session, or the session is
 * linked to an open issue.
 */
export const isKeptByRetentionSql = ({
  alias: s,
  organization: own,
}: SessionSql): string => `(${s}.hold_reason is not null or exists (select from "issueSession" l
  join issue i on i."organizationId" = l."organizationId" and i.id = l."issueId"
  where l."organizationId" = ${own} and l."sessionId" = ${s}.session_id
    and ${isOpenSql("i")}))`;

/** SQL for the last time at which data of a session `s` was received, including the last event. */
const lastReceived = ({
  alias: s,
  organization: own,
}: SessionSql): string => `greatest(${s}.last_received_at, (select e.received_at from recorded_event e
  where e.organization_id = ${own} and e.session_id = ${s}.session_id
  order by e.timestamp desc, e.event_id desc limit 1))`;

/** SQL condition: a session `s` has texts that were not removed. */
export const hasTextsSql = (session: SessionSql): string =>
  `(${session.alias}.texts_removed_at is null or ${lastReceived(session)} > ${session.alias}.texts_removed_at)`;

/** Returns the parameter for the server's own limit in days; 0 for none. */
const mostDays = ({ build }: SqlRow): string =>
  bindParameter(build, "retentionDays", "integer", ({ scope }) => scope.retentionDays ?? 0);

/** SQL for the time at which retention deletes a part of a session; null if the part is kept. */
export function retentionDeletionTimeSql(part: RetentionPart, row: SqlRow): string {
  const s = { alias: row.alias, organization: bindOrganization(row.build) };
  const at = `${lastReceived(s)} + ${retentionDaysSql(part, s, mostDays(row))} * interval '1 day'`;
  const stays = part === "texts" ? `${isKeptByRetentionSql(s)} or not ${hasTextsSql(s)}` : isKeptByRetentionSql(s);
  return `(case when not (${stays}) then ${at} end)`;
}

/** Number of days ahead in the list of upcoming deletions. */
const AHEAD = 7;

/**
 * SQL condition: retention will delete a session or its texts within AHEAD days. The first comparison excludes sessions
 * that began too late to be deleted by then, so the exact time is not computed for these sessions.
 */
export function isExpiringSql(row: SqlRow): string {
  const until = `(now() + interval '${AHEAD} days')`;
  const fewest = `(select ${shortestRetentionSql("texts", bindOrganization(row.build), mostDays(row))})`;
  return `(${row.alias}.timestamp < ${until} - ${fewest} * interval '1 day' + interval '1 hour'
    and least(${retentionDeletionTimeSql("texts", row)}, ${retentionDeletionTimeSql("session", row)}) < ${until})`;
}

/** Maximum characters of a reason. */
const REASON = 512;
const reason = z.string().trim().min(1, "must say why").max(REASON, `must be at most ${REASON} characters`);
const HoldInput = z.strictObject({ reason });

/**
 * Sets or removes the hold on a session: the reason, the owner who set the hold, and the time. @throws notFound for a
 * session that does not exist
 */
async function setHold(write: WriteContext, id: string, why: string | null): Promise<MutationResult> {
  const { organizationId, userId } = write.scope;
  const held = { hold_reason: why, held_by: why && userId, held_at: why && write.at };
  const own = knex("recorded_session").where({ organization_id: organizationId, session_id: id });
  const rows = isUuid(id) ? await write.trx.query(toStatement(own.update(held, ["session_id"]))) : [];
  if (rows.length === 0) throw notFound("recorded session", id);
  write.direct = true;
  const event = `recordedSession.${why === null ? "released" : "held"}`;
  await writeAuditEntry(write.trx, { event, organizationId, accountId: userId, detail: { id } });
  return { id };
}

/** Mutations with which owners set or remove a hold, so that retention keeps a session at any age. */
export const sessionHoldMutations: Record<string, Mutation> = {
  recordedSessionHold: {
    needs: "owner",
    input: HoldInput,
    run: (write, { id, input }) => setHold(write, String(id), (input as z.infer<typeof HoldInput>).reason),
  },
  recordedSessionRelease: { needs: "owner", run: (write, { id }) => setHold(write, String(id), null) },
};
