import { z } from "zod";
import { invalidFieldsError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable, type SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import { createRow, setInternalColumns, updateRow } from "../../write/change.ts";
import { detachReferences } from "../../write/deletion/remove-for-good.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { archive } from "../archive.ts";
import {
  BASE_COLUMNS,
  idSchema,
  isHiddenWithTeamSql,
  longTextSchema,
  nameSchema,
  nullToUndefined,
  organizationLink,
  pageUrl,
  referenceSchema,
  timestampSchema,
} from "../fields.ts";
import { progressSql } from "../issue/counts.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";

const fields = {
  name: nameSchema.nullish(),
  description: longTextSchema.nullish(),
  completedAt: timestampSchema.nullish(),
};

const CycleCreateInput = z.strictObject({
  ...fields,
  id: idSchema.nullish(),
  teamId: referenceSchema,
  startsAt: timestampSchema,
  endsAt: timestampSchema,
});
type CycleCreate = z.infer<typeof CycleCreateInput>;

const CycleUpdateInput = z.strictObject({
  ...fields,
  startsAt: timestampSchema.nullish(),
  endsAt: timestampSchema.nullish(),
});
type CycleUpdate = z.infer<typeof CycleUpdateInput>;

const columns = {
  ...BASE_COLUMNS,
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
    Cycle: { stored: ColumnValues<typeof columns> };
  }
}

/**
 * SQL condition: this cycle is the one nearest to the current time among the team's cycles that satisfy `reached`, a
 * comparison of a date column with the current time. `nearer` compares another cycle with this cycle. If two cycles
 * have the same time, the cycle with the lower number wins.
 */
function isFirst(row: SqlRow, reached: string, nearer: string): string {
  const [moment = ""] = reached.split(" ");
  const own = (name: string) => columnSql(row, name);
  return `(${own("archivedAt")} is null and ${row.alias}.${reached} now() and not exists (select 1 from cycle n
    where n."organizationId" = ${bindOrganization(row.build)} and n."teamId" = ${own("teamId")} and n."archivedAt" is null
    and n.${reached} now() and (n.${nearer} ${row.alias}.${moment}
      or (n.${moment} = ${row.alias}.${moment} and n.number < ${own("number")}))))`;
}

/** Creates a cycle with the team's next number. */
const cycleCreate = idempotentById("Cycle", async (write: WriteContext, input: CycleCreate) => {
  const { teamId: team } = await findReferencedRows(write, { teamId: ["Team", input.teamId] });
  checkSpan(input.startsAt, input.endsAt);
  const number = team.cycleCounter + 1;
  setInternalColumns(write, "Team", team.id, { cycleCounter: number });
  const cycleId = input.id ?? newId();
  createRow(write, "Cycle", {
    id: cycleId,
    teamId: team.id,
    number,
    name: input.name ?? null,
    description: input.description ?? null,
    startsAt: input.startsAt,
    endsAt: input.endsAt,
    completedAt: input.completedAt ?? null,
  });
  return { id: cycleId };
});

/** Changes a cycle. Absent fields stay unchanged. */
async function cycleUpdate(write: WriteContext, input: CycleUpdate, args: { id: string }) {
  const before = await findRowOrThrow(write, "Cycle", args.id);
  checkSpan(input.startsAt ?? before.startsAt, input.endsAt ?? before.endsAt);
  updateRow(write, "Cycle", before, {
    ...input,
    startsAt: nullToUndefined(input.startsAt),
    endsAt: nullToUndefined(input.endsAt),
  });
  return { id: before.id };
}

/** Archives a cycle and removes the issues from the cycle, because lists no longer show the cycle. */
async function cycleArchive(write: WriteContext, args: { id: string }) {
  const before = await findRowOrThrow(write, "Cycle", args.id);
  await detachReferences(write, "Cycle", before);
  archive(write, "Cycle", before);
  return { id: before.id };
}

function checkSpan(startsAt: unknown, endsAt: unknown): void {
  if (Date.parse(String(endsAt)) > Date.parse(String(startsAt))) return;
  throw invalidFieldsError([{ path: "input.endsAt", message: "must be after startsAt" }]);
}

export const cycleResource: Resource = {
  entity: {
    name: "Cycle",
    table: "cycle",
    event: "cycle",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      isActive: {
        type: "boolean",
        sql: (row) => `(${columnSql(row, "startsAt")} <= now() and ${columnSql(row, "endsAt")} > now())`,
      },
      isPast: { type: "boolean", sql: (row) => `(${columnSql(row, "endsAt")} <= now())` },
      isFuture: { type: "boolean", sql: (row) => `(${columnSql(row, "startsAt")} > now())` },
      isNext: { type: "boolean", sql: (row) => isFirst(row, '"startsAt" >', '"startsAt" <') },
      isPrevious: { type: "boolean", sql: (row) => isFirst(row, '"endsAt" <=', '"endsAt" >') },
      progress: { type: "float", sql: (row) => progressSql(row, "cycleId") },
      url: pageUrl(
        (row) => `'/team/' || (select t.key from team t where t."organizationId" = ${bindOrganization(row.build)}
          and t.id = ${columnSql(row, "teamId")}) || '/cycle/' || ${columnSql(row, "number")}`,
      ),
    },
    hidden: isHiddenWithTeamSql,
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    one: { organization: organizationLink, team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" } },
    many: { issues: { entity: "Issue", by: "cycleId" } },
  },
  one: { cycle: { entity: "Cycle" } },
  many: { cycles: { entity: "Cycle" } },
  mutations: {
    cycleCreate: defineInputMutation("member", CycleCreateInput, cycleCreate),
    cycleUpdate: defineInputMutation("member", CycleUpdateInput, cycleUpdate),
    cycleArchive: defineIdMutation("member", cycleArchive),
  },
};
