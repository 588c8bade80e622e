import type { SqlRow } from "../../read/entity.ts";
import { column, organization, tableOf } from "../../read/row.ts";

/** Raw SQL, a part of what the read planner writes: what the change log has of an issue and of its relations. */
export function entries(issue: SqlRow): string {
  const org = organization(issue.build);
  const id = column(issue, "id");
  const change = tableOf(issue.build, "change");
  // Ids sort as the changes came, and differ between the two issues of a relation.
  const entryId = `(left(${id}::text, 24) || lpad(to_hex(c."lastSyncId"), 12, '0'))::uuid`;
  const head = `select ${entryId} as id, c."createdAt", c."createdAt" as "updatedAt", c.event, c.actor, ${id} as "issueId"`;
  const relation = (end: string) => `${head}, null::json, null::json, c.data, c."updatedFrom" from ${change} c
    where c."organizationId" = ${org} and c.type = 'IssueRelation' and c.data ->> '${end}' = ${id}::text`;
  return `${head}, c.data, c."updatedFrom", null::json as relation, null::json as "relationBefore" from ${change} c
      where c."organizationId" = ${org} and c.type = 'Issue' and c."entityId" = ${id}
    union all ${relation("issueId")} union all ${relation("relatedIssueId")}`;
}

/** The names of a relation, as seen from its first and from its second issue. */
const CALLED = {
  blocks: ["Blocks", "BlockedBy"],
  duplicate: ["Duplicate", "DuplicatedBy"],
  related: ["Related", "Related"],
  similar: ["Similar", "Similar"],
  discovered: ["Discovered", "LedTo"],
} as const;

/** Raw SQL, a part of what the read planner writes: the relations that an entry says came or went. */
export function relationChanges(entry: SqlRow): string {
  const [event, now, before] = ["event", "relation", "relationBefore"].map((name) => column(entry, name));
  const own = `${column(entry, "issueId")}::text`;
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
    left join issue i on i."organizationId" = ${organization(entry.build)} and i.id = v.other::uuid
    left join team k on k."organizationId" = i."organizationId" and k.id = i."teamId"`;
}
