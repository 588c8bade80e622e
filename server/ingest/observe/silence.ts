import { buildEpochMsJsonSql } from "../../../db/distribution/moments.ts";
import { PartRunner } from "../../../db/errors/parts.ts";
import type { Database } from "../../../db/open.ts";
import { listDeletedOrganizations, runUnlessDeleted } from "../../accounts/due.ts";
import { NO_ID } from "../../id.ts";

/** A turn without reports for this time counts as ended. */
const SILENCE_MS = 30 * 60 * 1000;
/** Maximum sessions per search. */
const SESSIONS = 100;

interface Session {
  organization_id: string;
  session_id: string;
}

/** Closes the open events of a silent session that no fold will change, because their part is sealed or deleted. */
const CLOSE_SEALED = `with sealed as (
    delete from recorded_open o using recorded_session s, recorded_event e
    where o.organization_id = $1 and o.session_id = $2 and s.organization_id = $1 and s.session_id = $2
      and s.last_received_at < $3 and e.organization_id = $1 and e.event_id = o.event_id
      and not exists (select from recorded_part p where p.organization_id = $1 and p.part = o.part
        and (p.sealed_at is null or p.sealed_at < e.received_at))
    returning o.event_id)
  update recorded_event set open = false where organization_id = $1 and event_id in (select event_id from sealed)`;

/**
 * Raw SQL; docs/database.md explains why. Closes the open events of sessions that have had no reports for half an hour.
 * Also requests a fold for events whose surrounding event did not arrive in time. Works in slices, and may run in
 * several processes at once. If one session fails, the other sessions are still handled. Resolves with the number of
 * handled sessions.
 */
export async function closeEventsOfSilentSessions(db: Database, now = Date.now()): Promise<number> {
  const attempts = new PartRunner();
  let closed = 0;
  const deleted = await listDeletedOrganizations(db);
  for (let after: Session | undefined; ; ) {
    const found: Session[] = await db.query({
      text: `select o.organization_id, o.session_id from recorded_open o
          join recorded_session s on s.organization_id = o.organization_id and s.session_id = o.session_id
        where (s.last_received_at < $3 or o.due_at < $4) and (o.organization_id, o.session_id) > ($1::uuid, $2::uuid)
        group by o.organization_id, o.session_id order by o.organization_id, o.session_id limit ${SESSIONS}`,
      values: [after?.organization_id ?? NO_ID, after?.session_id ?? NO_ID, new Date(now - SILENCE_MS), new Date(now)],
    });
    for (const { organization_id, session_id } of found) {
      if (deleted.has(organization_id)) continue;
      const part = { organizationId: organization_id, sessionId: session_id };
      closed += await attempts.run(part, () =>
        runUnlessDeleted(db, organization_id, () => closeSession(db, { organization_id, session_id }, now)),
      );
    }
    after = found.at(-1);
    if (!after) break;
  }
  attempts.end();
  return closed;
}

const closeSession = (db: Database, { organization_id, session_id }: Session, now: number): Promise<number> =>
  db.transaction(async (trx) => {
    const values = [organization_id, session_id, new Date(now - SILENCE_MS)];
    await trx.query({
      text: `update recorded_session set observed = jsonb_set(observed, '{progress,silentAt}',
          ${buildEpochMsJsonSql("last_received_at")})
        where organization_id = $1 and session_id = $2 and last_received_at < $3 and observed ? 'progress'`,
      values,
    });
    await trx.query({ text: CLOSE_SEALED, values });
    await trx.query({
      text: `insert into recorded_unfolded (organization_id, part, commit_id, received_at, observations)
        select distinct on (o.part) o.organization_id, o.part, gen_random_uuid(), $3::timestamptz, 1 from recorded_open o
        where o.organization_id = $1 and o.session_id = $2 and o.part is not null`,
      values: [organization_id, session_id, new Date(now)],
    });
    return 1;
  });
