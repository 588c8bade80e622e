/** Before every id, and what stands where there is no team. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";
/** After every id: so far an organization is counted whose issues all are. */
export const EVERY_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** What issues are counted by: a kind, the column that holds the id, and whether each team's are told apart. */
export const COUNTED_BY = [
  { kind: "team", by: "teamId", table: "team", teams: true },
  { kind: "project", by: "projectId", table: "project", teams: true },
  { kind: "cycle", by: "cycleId", table: "cycle", teams: true },
  { kind: "creator", by: "creatorId", table: "user", teams: false },
] as const;

/** The sums that are kept, with SQL of whether an issue `i` is part of each: all, those that progress is made of, and those done. */
const shown = `i."archivedAt" is null and i.trashed is not true and i."stateType" not in ('canceled', 'duplicate')`;
export const SUMS = { issues: "true", shown, completed: `${shown} and i."stateType" = 'completed'` };

const names = Object.keys(SUMS);
/** SQL of the sums over issues `i`. */
export const sumsOfIssues = Object.entries(SUMS)
  .map(([name, holds]) => `count(*) filter (where ${holds}) as ${name}`)
  .join(", ");
/** SQL that adds what an insert would put in to what is there. Its table is `c`. */
const ADD = `on conflict ("organizationId", kind, id, "teamId") do update set
  ${names.map((name) => `${name} = c.${name} + excluded.${name}`).join(", ")}`;
const INTO = `insert into "issueCount" as c ("organizationId", kind, id, "teamId", ${names.join(", ")})`;

/**
 * Adds to the counts of an organization, $1, what changes of issues come to: those of issues that are not counted yet
 * will be, as they are then. `offset 0` and an organization that is taken from a row: where tables lie on several nodes, the
 * organization's then runs all of it.
 */
export const ADD_CHANGES = `${INTO}
  select k."organizationId", d.kind, d.id, d.team, ${names.map((name) => `sum(d.${name})`).join(", ")}
    from "issueCounted" k join unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], ${names.map((_, at) => `$${at + 6}::integer[]`).join(", ")})
      d (issue, kind, id, team, ${names.join(", ")}) on d.issue <= k."upTo"
   where k."organizationId" = $1
   group by k."organizationId", d.kind, d.id, d.team offset 0 ${ADD}`;

/** Takes those of some counts of an organization, $1, away that came to nothing: what they are of may be gone. */
export const DROP_EMPTY = `delete from "issueCount" c using unnest($2::text[], $3::uuid[], $4::uuid[]) d (kind, id, team)
  where c."organizationId" = $1 and c.kind = d.kind and c.id = d.id and c."teamId" = d.team and c.issues = 0`;

const kinds = COUNTED_BY.map(
  ({ kind, by, teams }) => `('${kind}', i."${by}", ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`})`,
).join(", ");

/** SQL that counts the next issues of an organization, $1, by id; it notes how far it came. Its writers have to wait. */
export const countNext = (issues: number): string => `
  with part as materialized (select i.* from issue i where i."organizationId" = $1
      and i.id > (select "upTo" from "issueCounted" where "organizationId" = $1) order by i.id limit ${issues}),
  counted as (update "issueCounted" set "upTo" = case when (select count(*) from part) < ${issues} then '${EVERY_ID}'
      else (select id from part order by id desc limit 1) end where "organizationId" = $1)
  ${INTO} select $1, k.kind, k.id, k.team, ${sumsOfIssues}
    from part i cross join lateral (values ${kinds}) k (kind, id, team) where k.id is not null group by k.kind, k.id, k.team ${ADD}`;
