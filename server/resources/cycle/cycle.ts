import { nullable } from "../../read/entity.ts";
import { column } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { archiving } from "../archive.ts";
import { BASE, base, organizationLink, progress } from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";
import { CycleCreateInput, CycleUpdateInput } from "./input.ts";
import { cycleCreate, cycleUpdate } from "./write.ts";

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
    small: true,
    table: "cycle",
    event: "cycle",
    columns,
    scanned: ["description"],
    computed: {
      isActive: {
        type: "boolean",
        sql: (row) => `(${column(row, "startsAt")} <= now() and ${column(row, "endsAt")} > now())`,
      },
      isPast: { type: "boolean", sql: (row) => `(${column(row, "endsAt")} <= now())` },
      isFuture: { type: "boolean", sql: (row) => `(${column(row, "startsAt")} > now())` },
      progress: { type: "float", sql: (row) => progress(row, "cycleId") },
      url: {
        type: "text",
        sql: (
          row,
        ) => `${base(row)} || '/team/' || (select t.key from team t where t."organizationId" = ${column(row, "organizationId")}
          and t.id = ${column(row, "teamId")}) || '/cycle/' || ${column(row, "number")}`,
      },
    },
    published: ["url"],
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    one: { organization: organizationLink, team: { entity: "Team", by: "teamId", onDelete: "cascade" } },
    many: { issues: { entity: "Issue", by: "cycleId" } },
  },
  one: { cycle: { entity: "Cycle" } },
  many: { cycles: { entity: "Cycle" } },
  mutations: {
    cycleCreate: mutation("member", CycleCreateInput, cycleCreate),
    cycleUpdate: mutation("member", CycleUpdateInput, cycleUpdate),
    cycleArchive: archiving("Cycle"),
  },
};
