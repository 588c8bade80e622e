import { z } from "zod";
import { knex, toStatement } from "../../../../db/builder.ts";
import { isUuid } from "../../../../formats/uuid.ts";
import { audit } from "../../../accounts/audit.ts";
import { notFound } from "../../../errors.ts";
import type { SqlRow } from "../../../read/entity.ts";
import { bind, organization } from "../../../read/row.ts";
import type { Result, Write } from "../../../write/write.ts";
import { isOpenSql } from "../../issue/readiness.ts";
import type { Mutation } from "../../resource.ts";
import { isTurn } from "../kinds.ts";

/** The parts of a session that go after so many days: its texts, or all of it. */
export type Part = "texts" | "session";

/** A session in a statement: its alias, and SQL of its organization. */
interface SessionSql {
  alias: string;
  organization: string;
}

/** The days of a part, in an organization's own row and in an entry for an agent. */
const DAYS = { texts: ["retentionTextDays", "textDays"], session: ["retentionSessionDays", "sessionDays"] } as const;

/** SQL of an entry's days for the agents of a session `s`: where several agents have some, the most. */
const ofAgents = (
  { alias: s, organization: own }: SessionSql,
  days: string,
): string => `(select max((r ->> '${days}')::integer)
  from organization o cross join lateral jsonb_array_elements(o."retentionAgents") r
  where o.id = ${own} and (${s}.source = r ->> 'agent' or exists (select from recorded_event e
    where e.organization_id = ${own} and e.session_id = ${s}.session_id
      and e.primitive_name = r ->> 'agent' and ${isTurn("e")})))`;

/**
 * SQL of the days after which a part of a session `s` goes, null for never. `most` is SQL of the server's own number, 0 for
 * none: no organization keeps longer. Texts never stay longer than their session.
 */
export function daysOf(part: Part, session: SessionSql, most: string): string {
  const [own, each] = DAYS[part];
  const chosen = `coalesce(${ofAgents(session, each)}, (select o."${own}" from organization o where o.id = ${session.organization}))`;
  return `least(nullif(${most}, 0), ${part === "texts" ? `${chosen}, ${daysOf("session", session, most)}` : chosen})`;
}

/** SQL of the fewest days after which a part of any session of an organization goes, null for never. */
export function fewestDays(part: Part, organization: string, most: string): string {
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

/** SQL of whether a session `s` stays, however old: an owner holds it, or it is linked to an open issue. */
export const isHeld = ({
  alias: s,
  organization: own,
}: SessionSql): string => `(${s}.hold_reason is not null or exists (select from "issueSession" l
  join issue i on i."organizationId" = l."organizationId" and i.id = l."issueId"
  where l."organizationId" = ${own} and l."sessionId" = ${s}.session_id
    and ${isOpenSql("i")}))`;

/** SQL of when something of a session `s` was last received, as its last event shows. */
const lastReceived = ({
  alias: s,
  organization: own,
}: SessionSql): string => `greatest(${s}.last_received_at, (select e.received_at from recorded_event e
  where e.organization_id = ${own} and e.session_id = ${s}.session_id
  order by e.timestamp desc, e.event_id desc limit 1))`;

/** SQL of whether a session `s` has texts that were not removed. */
export const hasTexts = (session: SessionSql): string =>
  `(${session.alias}.texts_removed_at is null or ${lastReceived(session)} > ${session.alias}.texts_removed_at)`;

/** The server's own number of days, as a parameter. */
const mostDays = ({ build }: SqlRow): string =>
  bind(build, "retentionDays", "integer", ({ scope }) => scope.retentionDays ?? 0);

/** SQL of the moment at which a part of a session goes, null where it stays. */
export function expiryOf(part: Part, row: SqlRow): string {
  const s = { alias: row.alias, organization: organization(row.build) };
  const at = `${lastReceived(s)} + ${daysOf(part, s, mostDays(row))} * interval '1 day'`;
  const stays = part === "texts" ? `${isHeld(s)} or not ${hasTexts(s)}` : isHeld(s);
  return `(case when not (${stays}) then ${at} end)`;
}

/** Days ahead that a list of what goes shows. */
const AHEAD = 7;

/** SQL of whether something of a session goes within days. A session that began later than that is not looked at. */
export function isExpiring(row: SqlRow): string {
  const until = `(now() + interval '${AHEAD} days')`;
  const fewest = `(select ${fewestDays("texts", organization(row.build), mostDays(row))})`;
  return `(${row.alias}.timestamp < ${until} - ${fewest} * interval '1 day' + interval '1 hour'
    and least(${expiryOf("texts", row)}, ${expiryOf("session", row)}) < ${until})`;
}

/** Characters of a reason. */
const REASON = 512;
const reason = z.string().trim().min(1, "must say why").max(REASON, `must be at most ${REASON} characters`);
const HoldInput = z.strictObject({ reason });

/** Sets who holds a session, and why. @throws notFound for a session that there is not */
async function setHold(write: Write, id: string, why: string | null): Promise<Result> {
  const { organizationId, userId } = write.scope;
  const held = { hold_reason: why, held_by: why && userId, held_at: why && write.at };
  const own = knex("recorded_session").where({ organization_id: organizationId, session_id: id });
  const rows = isUuid(id) ? await write.trx.query(toStatement(own.update(held, ["session_id"]))) : [];
  if (rows.length === 0) throw notFound("recorded session", id);
  write.direct = true;
  const event = `recordedSession.${why === null ? "released" : "held"}`;
  await audit(write.trx, { event, organizationId, accountId: userId, detail: { id } });
  return { id };
}

/** The mutations by which owners keep a session, however old it gets. */
export const holds: Record<string, Mutation> = {
  recordedSessionHold: {
    needs: "owner",
    input: HoldInput,
    run: (write, { id, input }) => setHold(write, String(id), (input as z.infer<typeof HoldInput>).reason),
  },
  recordedSessionRelease: { needs: "owner", run: (write, { id }) => setHold(write, String(id), null) },
};
