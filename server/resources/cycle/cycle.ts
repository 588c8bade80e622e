import { nullable, type SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, base, hiddenWithTeam, organizationLink } from "../fields.ts";
import { progress } from "../issue/counts.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { CycleCreateInput, CycleUpdateInput } from "./input.ts";
import { cycleArchive, cycleCreate, cycleUpdate } from "./write.ts";

const columns = {
  ...BASE,
  teamId: "uuid",
  number: "integer",
  name: nullable("text"),
  description: nullable("text"),
  startsAt: "timestamp",
  endsAt: "timestamp",
  completedAt: nullable("timestamp"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Cycle: { stored: RowOf<typeof columns> };
  }
}

export const cycle: Resource = {
  entity: {
    name: "Cycle",
    table: "cycle",
    event: "cycle",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      isActive: {
        type: "boolean",
        sql: (row) => `(${column(row, "startsAt")} <= now() and ${column(row, "endsAt")} > now())`,
      },
      isPast: { type: "boolean", sql: (row) => `(${column(row, "endsAt")} <= now())` },
      isFuture: { type: "boolean", sql: (row) => `(${column(row, "startsAt")} > now())` },
      isNext: { type: "boolean", sql: (row) => isFirst(row, '"startsAt" >', '"startsAt" <') },
      isPrevious: { type: "boolean", sql: (row) => isFirst(row, '"endsAt" <=', '"endsAt" >') },
      progress: { type: "float", sql: (row) => progress(row, "cycleId") },
      url: {
        type: "text",
        published: true,
        sql: (
          row,
        ) => `${base(row)} || '/team/' || (select t.key from team t where t."organizationId" = ${organization(row.build)}
          and t.id = ${column(row, "teamId")}) || '/cycle/' || ${column(row, "number")}`,
      },
    },
    hidden: hiddenWithTeam,
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    one: { organization: organizationLink, team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" } },
    many: { issues: { entity: "Issue", by: "cycleId" } },
  },
  one: { cycle: { entity: "Cycle" } },
  many: { cycles: { entity: "Cycle" } },
  mutations: {
    cycleCreate: mutation("member", CycleCreateInput, cycleCreate),
    cycleUpdate: mutation("member", CycleUpdateInput, cycleUpdate),
    cycleArchive: action("member", cycleArchive),
  },
};

/**
 * SQL of whether a cycle is the nearest to now of its team's that fulfil a condition: `reached` compares with this
 * moment, `nearer` with this cycle. Of two at the same moment the lower number is.
 */
function isFirst(row: SqlRow, reached: string, nearer: string): string {
  const [moment = ""] = reached.split(" ");
  const own = (name: string) => column(row, name);
  return `(${own("archivedAt")} is null and ${row.alias}.${reached} now() and not exists (select 1 from cycle n
    where n."organizationId" = ${organization(row.build)} and n."teamId" = ${own("teamId")} and n."archivedAt" is null
    and n.${reached} now() and (n.${nearer} ${row.alias}.${moment}
      or (n.${moment} = ${row.alias}.${moment} and n.number < ${own("number")}))))`;
}
