import type { Database, Transaction } from "../../../db/open.ts";
import { markHours } from "../../ingest/store/marks.ts";
import { groupIdOf, LONG, lineOf, messageIn, messageOf } from "../../resources/recorded/failures/message.ts";
import { eachOrganization } from "../organizations.ts";

/** Failures that one transaction reads: their results may be long. */
const FAILURES = 200;

/** In the words of the index that has them. */
const UNREAD = "not success and message is null";

/**
 * Raw SQL, as docs/database.md says why. Reads what went wrong of failures that an older server stored, and marks their
 * hours: so they are counted again, in groups by one rule. Safe on any number of processes. Answers how many it read.
 */
export const readMessages = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_event", only: UNREAD, followedBy: "event_id" }, async (organizationId) => {
    let read = 0;
    for (let size = FAILURES; size === FAILURES; read += size) {
      size = await db.transaction((trx) => readSome(trx, organizationId));
    }
    return read;
  });

interface Unread {
  id: string;
  at: Date;
  result: string;
}

/** Another process has those that are locked. */
async function readSome(trx: Transaction, organizationId: string): Promise<number> {
  const rows: Unread[] = await trx.query({
    text: `select event_id as id, timestamp as at, left(result, ${LONG + 1}) as result from recorded_event
      where organization_id = $1 and ${UNREAD} order by event_id limit ${FAILURES} for update skip locked`,
    values: [organizationId],
  });
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await trx.query({
    text: `update recorded_event e set message = n.message from unnest($2::uuid[], $3::text[]) n (id, message)
      where e.organization_id = $1 and e.event_id = n.id`,
    values: [organizationId, ids, rows.map(({ result }) => messageIn(result))],
  });
  await trx.query({ text: FOLLOW, values: [organizationId, ids] });
  for (const mark of markHours(
    organizationId,
    rows.map(({ at }) => at.getTime()),
  ))
    await trx.query(mark);
  return rows.length;
}

/** An issue about a group goes on to the group of the failure that its group last showed, unless that has one. */
const FOLLOW = `update "failureIssue" f set "groupId" = n.now
  from (select distinct on (n.now) n.* from (
      select g.group_id as before, ${groupIdOf("$1::uuid", "e.primitive_name", messageOf(lineOf("e")))} as now
      from "failureIssue" l
      join recorded_failure_group g on g.organization_id = l."organizationId" and g.group_id = l."groupId"
      join recorded_event e on e.organization_id = g.organization_id and e.event_id = g.event_id
      where l."organizationId" = $1 and e.event_id = any($2::uuid[])) n order by n.now, n.before) n
  where f."organizationId" = $1 and f."groupId" = n.before and n.now <> n.before
    and not exists (select from "failureIssue" x where x."organizationId" = $1 and x."groupId" = n.now)`;
