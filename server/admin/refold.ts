import { parseArgs } from "node:util";
import type { Database } from "../../db/open.ts";
import { ABSOLUTE_FORMS, parseAbsolute } from "../../formats/moments.ts";
import { isUuid } from "../../formats/uuid.ts";
import { inputError, notFound } from "../errors.ts";
import { newId } from "../id.ts";

/** Sessions that one statement notes. */
const SLICE = 200;

interface Place {
  organization_id: string;
  session_id: string;
}

/**
 * Has events made anew from the observations that are stored of them: of one session, or of those of a source that
 * something was received of since a moment. Servers fold them within seconds, in slices. Events keep their ids.
 * @returns how many sessions they are. @throws inputError
 */
export async function refold(db: Database, args: string[]): Promise<string> {
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
    await db.query({ text: NOTE, values: columnsOf(found) });
    noted += found.length;
    after = found.at(-1);
  }
  if (session !== undefined && noted === 0) throw notFound("recorded session", session);
  return `The events of ${noted} ${noted === 1 ? "session" : "sessions"} are made anew.`;
}

/** Raw SQL: rows are made of a list of ids. Notes the parts of sessions as if something had just come of them. */
const NOTE = `insert into recorded_unfolded (organization_id, commit_id, part, received_at, observations)
  select distinct on (n.organization_id, p.part) n.organization_id, $3::uuid, p.part, now(), 1
    from unnest($1::uuid[], $2::uuid[]) n (organization_id, session_id) cross join lateral (
      select part from recorded_observation o where o.organization_id = n.organization_id and o.session_id = n.session_id
      union select part from recorded_event e where e.organization_id = n.organization_id and e.session_id = n.session_id
        and part is not null) p`;

const columnsOf = (found: readonly Place[]): unknown[] => [
  found.map(({ organization_id }) => organization_id),
  found.map(({ session_id }) => session_id),
  newId(),
];

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
    const since = parseAbsolute(values.since ?? "");
    if (session !== undefined || values.source === undefined || values.since === undefined)
      throw new Error("give the id of a session, or --source SOURCE --since WHEN, such as 2026-01-31");
    if (!since) throw new Error(`--since takes a moment, ${ABSOLUTE_FORMS}; got "${values.since}"`);
    return { session: undefined, source: values.source, since };
  } catch (error) {
    throw inputError(error instanceof Error ? error.message : String(error));
  }
}
