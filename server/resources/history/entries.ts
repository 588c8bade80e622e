import type { SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql, readTableSql } from "../../read/row.ts";

/** Number of an issue's newest changes that are searched for the last edit. */
const LOOKED_THROUGH = 250;

/** Raw SQL, a fragment for the read planner: the change log entries of an issue and of its relations. */
export function historyEntriesSql(issue: SqlRow): string {
  const id = columnSql(issue, "id");
  const relation = (end: string) => `${head(issue)}, null::json, null::json, c.data, c."updatedFrom" ${changes(issue)}
    and c.type = 'IssueRelation' and c.data ->> '${end}' = ${id}::text`;
  return `${own(issue)} union all ${relation("issueId")} union all ${relation("relatedIssueId")}`;
}

/** Raw SQL, a fragment for the read planner: the newest change of an issue's title or description. */
export const lastEditSql = (issue: SqlRow): string => `select e.* from (${own(issue)}
    order by c."createdAt" desc, c."lastSyncId" desc limit ${LOOKED_THROUGH}) e
  where exists (select from json_object_keys(e."updatedFrom") k (name) where k.name in ('title', 'description')) order by e."createdAt" desc, e.id desc limit 1`;

/** SQL for the changes of the issue itself. */
const own = (issue: SqlRow): string =>
  `${head(issue)}, c.data, c."updatedFrom", null::json as relation, null::json as "relationBefore" ${changes(issue)}
    and c.type = 'Issue' and c."entityId" = ${columnSql(issue, "id")}`;

function head(issue: SqlRow): string {
  const id = columnSql(issue, "id");
  // Ids of entries sort in the order of the changes. A change of a relation appears in the histories of two issues, so
  // the id also contains digits of the issue's id.
  const entryId = `(left(${id}::text, 24) || lpad(to_hex(c."lastSyncId"), 12, '0'))::uuid`;
  return `select ${entryId} as id, c."createdAt", c."createdAt" as "updatedAt", c.event, c.actor, ${id} as "issueId"`;
}

const changes = ({ build }: SqlRow): string =>
  `from ${readTableSql(build, "change")} c where c."organizationId" = ${bindOrganization(build)}`;

/** Names of a relation, as seen from the relation's first and second issue. */
const CALLED = {
  blocks: ["Blocks", "BlockedBy"],
  duplicate: ["Duplicate", "DuplicatedBy"],
  related: ["Related", "Related"],
  similar: ["Similar", "Similar"],
  discovered: ["Discovered", "LedTo"],
} as const;

/** Raw SQL, a fragment for the read planner: the relations that an entry added or removed. */
export function relationChangesSql(entry: SqlRow): string {
  const [event, now, before] = ["event", "relation", "relationBefore"].map((name) => columnSql(entry, name));
  const own = `${columnSql(entry, "issueId")}::text`;
  const then = (name: string) => `coalesce(${before} ->> '${name}', ${now} ->> '${name}')`;
  const called = Object.entries(CALLED).map(
    ([type, [first, second]]) => `when '${type}' then case when v.one = ${own} then '${first}' else '${second}' end`,
  );
  return `select v.position, v.position as id, v.verb || case v.type ${called.join(" ")} end as type,
      coalesce(k.key || '-' || i.number, v.other) as identifier
    from (select w.*, case when w.one = ${own} then w.two else w.one end as other from (
        select 1 as position, 'remove' as verb, ${then("type")} as type, ${then("issueId")} as one,
          ${then("relatedIssueId")} as two where ${event} <> 'issueRelation.created'
        union all
        select 2, 'add', ${now} ->> 'type', ${now} ->> 'issueId', ${now} ->> 'relatedIssueId'
          where ${event} <> 'issueRelation.deleted') w
      where ${now} is not null and ${own} in (w.one, w.two)) v
    left join issue i on i."organizationId" = ${bindOrganization(entry.build)} and i.id = v.other::uuid
    left join team k on k."organizationId" = i."organizationId" and k.id = i."teamId"`;
}
