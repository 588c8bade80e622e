import { parseArgs } from "node:util";
import type { Database } from "../../db/open.ts";
import { groupBy } from "../../formats/groups.ts";
import { ABSOLUTE_TIME_FORMAT_HELP, parseAbsoluteTime } from "../../formats/moments.ts";
import { isUuid } from "../../formats/uuid.ts";
import { inputError, notFound } from "../errors.ts";
import { newId } from "../id.ts";

/** Sessions per statement. */
const SLICE = 200;

interface Place {
  organization_id: string;
  session_id: string;
}

/**
 * Requests that servers build events again from the stored observations. Selects the events of one session, or of all
 * sessions of a source that received reports since a given time. Servers fold the observations within seconds, in
 * slices, and events keep their ids.
 * @returns a sentence with the number of sessions. @throws inputError
 */
export async function requestRefold(db: Database, args: string[]): Promise<string> {
  const { session, source, since } = optionsOf(args);
  let noted = 0;
  for (let after: Place | undefined; ; ) {
    const found: Place[] = await db.query({
      text: `select organization_id, session_id from recorded_session
        where ($1::uuid is null or session_id = $1) and ($2::text is null or source = $2) and last_received_at >= $3
          and ($4::uuid is null or (organization_id, session_id) > ($4, $5::uuid))
        order by organization_id, session_id limit ${SLICE}`,
      values: [session, source, since, after?.organization_id, after?.session_id],
    });
    if (found.length === 0) break;
    for (const [organizationId, sessions] of groupBy(found, ({ organization_id }) => organization_id))
      await db.query({ text: NOTE, values: [organizationId, newId(), sessions.map(({ session_id }) => session_id)] });
    noted += found.length;
    after = found.at(-1);
  }
  if (session !== undefined && noted === 0) throw notFound("recorded session", session);
  return `The events of ${noted} ${noted === 1 ? "session" : "sessions"} are made anew.`;
}

/**
 * Marks sessions of an organization as if new observations had just arrived, so that servers fold the sessions'
 * observations again. Raw SQL: the rows come from a union. Each statement marks sessions of only one organization,
 * because Citus refuses a lateral join over several organizations.
 */
const NOTE = `insert into recorded_unfolded (organization_id, commit_id, part, received_at, observations)
  select $1::uuid, $2::uuid, p.part, now(), 1 from (
    select part from recorded_observation where organization_id = $1 and session_id = any($3::uuid[])
    union
    select part from recorded_event where organization_id = $1 and session_id = any($3::uuid[]) and part is not null) p`;

/** @throws inputError for invalid arguments */
export const validateRefoldArguments = (args: string[]): void => void optionsOf(args);

function optionsOf(args: string[]): { session: string | undefined; source: string | undefined; since: Date } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { source: { type: "string" }, since: { type: "string" } },
      allowPositionals: true,
    });
    const [session] = positionals;
    const isOne = session !== undefined && values.source === undefined && values.since === undefined;
    if (isOne && isUuid(session)) return { session, source: undefined, since: new Date(0) };
    const since = parseAbsoluteTime(values.since ?? "");
    if (session !== undefined || values.source === undefined || values.since === undefined)
      throw new Error("give the id of a session, or --source SOURCE --since WHEN, such as 2026-01-31");
    if (!since) throw new Error(`--since takes a moment, ${ABSOLUTE_TIME_FORMAT_HELP}; got "${values.since}"`);
    return { session: undefined, source: values.source, since };
  } catch (error) {
    throw inputError(error instanceof Error ? error.message : String(error));
  }
}
