import { hashSql, nameOf } from "../../resources/recorded/deletion/names.ts";

const isDeleted = (organization: string, name: string): string =>
  `exists (select from organization o join recorded_tombstone t on t.organization_id = o.id and t.hash = ${hashSql(name)}
    where o.id = ${organization})`;
const isDeletedSession = (organization: string, session: string): string =>
  isDeleted(organization, `'${nameOf("session", "")}' || ${session}::text`);

/** Tables with rows of sessions, the sessions themselves last. */
const TABLES = ["event", "open", "observation", "deletion", "session"].map((name) => `recorded_${name}`);

/**
 * Raw SQL, as all of a restore. Deletes what tombstones say was deleted: a backup may be older than they are, or may have
 * been written while the deletion ran. Counts, groups and totals are derived anew afterwards.
 */
export const APPLY_DELETIONS: readonly string[] = [
  // Sessions of a deleted user that had no tombstone yet.
  `insert into recorded_tombstone (organization_id, hash, deleted_at)
    select s.organization_id, ${hashSql(`'${nameOf("session", "")}' || s.session_id::text`)}, now()
      from recorded_session s join organization o on o.id = s.organization_id
      where s.user_id is not null and ${isDeleted("s.organization_id", `'${nameOf("user", "")}' || s.user_id`)}
    on conflict do nothing`,
  `delete from recorded_user u where ${isDeleted("u.organization_id", `'${nameOf("user", "")}' || u.user_id`)}`,
  `create temporary table gone on commit drop as select organization_id, session_id from (
      select organization_id, session_id from recorded_session union select organization_id, session_id from recorded_event
    ) s where ${isDeletedSession("s.organization_id", "s.session_id")}`,
  `insert into "issueDeletedSession" ("organizationId", id, "issueId", "createdAt", "updatedAt")
    select i."organizationId", gen_random_uuid(), i."issueId", now(), now() from "issueSession" i
      join gone g on g.organization_id = i."organizationId" and g.session_id = i."sessionId" where i.filed`,
  `update "issueProof" p set "eventIds" = '{}' from "issueSession" i join gone g on g.organization_id = i."organizationId"
      and g.session_id = i."sessionId" where p."organizationId" = i."organizationId" and p.id = i."issueId"`,
  `delete from "issueHandover" h using "issueSession" i join gone g on g.organization_id = i."organizationId"
      and g.session_id = i."sessionId" where h."organizationId" = i."organizationId" and h.id = i."issueId"`,
  `delete from "issueSession" i using gone g where g.organization_id = i."organizationId" and g.session_id = i."sessionId"`,
  `delete from recorded_observation o using recorded_event e join gone g using (organization_id, session_id)
      join recorded_part k on k.organization_id = e.organization_id and k.part = e.part
      join recorded_part p on p.organization_id = k.organization_id and p.component = k.component
    where o.organization_id = p.organization_id and o.part = p.part and o.session_id is null`,
  `delete from recorded_user u where exists (select from recorded_session s join gone g using (organization_id, session_id)
      where s.organization_id = u.organization_id and s.user_id = u.user_id)
    and not exists (select from recorded_session s where s.organization_id = u.organization_id and s.user_id = u.user_id
      and not exists (select from gone g where g.organization_id = s.organization_id and g.session_id = s.session_id))`,
  `delete from recorded_failure_group f using gone g where g.organization_id = f.organization_id and g.session_id = f.session_id
    and not exists (select from recorded_failure o where o.organization_id = f.organization_id and o.group_id = f.group_id
      and not exists (select from gone x where x.organization_id = o.organization_id and x.session_id = o.session_id))`,
  ...TABLES.map(
    (table) =>
      `delete from ${table} r using gone g where g.organization_id = r.organization_id and g.session_id = r.session_id`,
  ),
];
