import { isDeletedWithUserSql, tombstoneHashSql, tombstoneName } from "../../resources/recorded/deletion/names.ts";
import type { DeleteStatement } from "../deletion/forget.ts";

/**
 * SQL subquery that finds the tombstone of a name in an organization. `where` is a further condition on the tombstone
 * `t`.
 */
const tombstone = (organization: string, name: string, where = "true"): string =>
  `(select from organization o join recorded_tombstone t on t.organization_id = o.id and t.hash = ${tombstoneHashSql(name)}
    where o.id = ${organization} and ${where})`;
const isDeletedSession = (organization: string, session: string): string =>
  `exists ${tombstone(organization, `'${tombstoneName("session", "")}' || ${session}::text`)}`;
const userName = (user: string): string => `'${tombstoneName("user", "")}' || ${user}`;

/**
 * Tables (`recorded_…`) with rows of sessions, and the kind under which a restore reports deleted rows; undefined if
 * the restore does not report the rows. `recorded_session` is last.
 */
const TABLES: Readonly<Record<string, string | undefined>> = {
  event: "event",
  open: undefined,
  observation: "report",
  deletion: undefined,
  session: "session",
};

/**
 * Raw SQL, as in all code of a restore. Deletes rows that have a tombstone. A backup may be older than the
 * tombstones, or the deletion may have run while the backup was written. The restore computes counts, groups and
 * totals again afterwards.
 */
export const TOMBSTONE_DELETE_STATEMENTS: readonly DeleteStatement[] = [
  // Adds tombstones for the sessions of a deleted user that have no tombstone yet.
  {
    text: `insert into recorded_tombstone (organization_id, hash, deleted_at)
    select s.organization_id, ${tombstoneHashSql(`'${tombstoneName("session", "")}' || s.session_id::text`)}, now()
      from recorded_session s join organization o on o.id = s.organization_id
      where s.user_id is not null
        and exists ${tombstone("s.organization_id", userName("s.user_id"), isDeletedWithUserSql("s", "t.deleted_at"))}
    on conflict do nothing`,
  },
  {
    text: `create temporary table gone on commit drop as select organization_id, session_id from (
      select organization_id, session_id from recorded_session union select organization_id, session_id from recorded_event
    ) s where ${isDeletedSession("s.organization_id", "s.session_id")}`,
  },
  {
    text: `insert into "issueDeletedSession" ("organizationId", id, "issueId", "createdAt", "updatedAt")
    select i."organizationId", gen_random_uuid(), i."issueId", now(), now() from "issueSession" i
      join gone g on g.organization_id = i."organizationId" and g.session_id = i."sessionId" where i.filed`,
  },
  {
    text: `update "issueProof" p set "eventIds" = '{}' from "issueSession" i join gone g on g.organization_id = i."organizationId"
      and g.session_id = i."sessionId" where p."organizationId" = i."organizationId" and p.id = i."issueId"`,
  },
  {
    kind: "handover",
    text: `delete from "issueHandover" h using "issueSession" i join gone g on g.organization_id = i."organizationId"
      and g.session_id = i."sessionId" where h."organizationId" = i."organizationId" and h.id = i."issueId"`,
  },
  {
    kind: "link to an issue",
    text: `delete from "issueSession" i using gone g where g.organization_id = i."organizationId" and g.session_id = i."sessionId"`,
  },
  {
    kind: "report",
    text: `delete from recorded_observation o using recorded_event e join gone g using (organization_id, session_id)
      join recorded_part k on k.organization_id = e.organization_id and k.part = e.part
      join recorded_part p on p.organization_id = k.organization_id and p.component = k.component
    where o.organization_id = p.organization_id and o.part = p.part and o.session_id is null`,
  },
  // A user with a tombstone keeps a row only while sessions of that user remain. A user without a tombstone is
  // deleted with the last session.
  {
    kind: "user",
    text: `delete from recorded_user u where not exists (select from recorded_session s where s.organization_id = u.organization_id
      and s.user_id = u.user_id and not exists (select from gone g where g.organization_id = s.organization_id and g.session_id = s.session_id))
    and (exists ${tombstone("u.organization_id", userName("u.user_id"))}
      or exists (select from recorded_session s join gone g using (organization_id, session_id)
        where s.organization_id = u.organization_id and s.user_id = u.user_id))`,
  },
  {
    kind: "failure group",
    text: `delete from recorded_failure_group f using gone g where g.organization_id = f.organization_id and g.session_id = f.session_id
    and not exists (select from recorded_failure o where o.organization_id = f.organization_id and o.group_id = f.group_id
      and not exists (select from gone x where x.organization_id = o.organization_id and x.session_id = o.session_id))`,
  },
  ...Object.entries(TABLES).map(([table, kind]) => ({
    ...(kind && { kind }),
    text: `delete from recorded_${table} r using gone g where g.organization_id = r.organization_id and g.session_id = r.session_id`,
  })),
];
