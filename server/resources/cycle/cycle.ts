import { z } from "zod";
import { invalidInput } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable, type SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { create, setInternal, update } from "../../write/change.ts";
import { detachReferences } from "../../write/deletion/remove-for-good.ts";
import { findReferences, findTarget } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { archive } from "../archive.ts";
import {
  BASE_COLUMNS,
  hiddenWithTeam,
  id,
  longText,
  moment,
  name,
  nullToUndefined,
  organizationLink,
  pageUrl,
  reference,
} from "../fields.ts";
import { progress } from "../issue/counts.ts";
import { action, mutation, type Resource } from "../resource.ts";

const fields = { name: name.nullish(), description: longText.nullish(), completedAt: moment.nullish() };

const CycleCreateInput = z.strictObject({
  ...fields,
  id: id.nullish(),
  teamId: reference,
  startsAt: moment,
  endsAt: moment,
});
type CycleCreate = z.infer<typeof CycleCreateInput>;

const CycleUpdateInput = z.strictObject({ ...fields, startsAt: moment.nullish(), endsAt: moment.nullish() });
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
 * SQL condition: of all cycles of the team that satisfy a comparison with the current time (`reached`), this cycle is
 * nearest to the current time. `nearer` compares another cycle with this cycle. Of two cycles with the same time, the
 * cycle with the lower number counts.
 */
function isFirst(row: SqlRow, reached: string, nearer: string): string {
  const [moment = ""] = reached.split(" ");
  const own = (name: string) => column(row, name);
  return `(${own("archivedAt")} is null and ${row.alias}.${reached} now() and not exists (select 1 from cycle n
    where n."organizationId" = ${organization(row.build)} and n."teamId" = ${own("teamId")} and n."archivedAt" is null
    and n.${reached} now() and (n.${nearer} ${row.alias}.${moment}
      or (n.${moment} = ${row.alias}.${moment} and n.number < ${own("number")}))))`;
}

/** Creates a cycle with the team's next number. */
const cycleCreate = idempotentById("Cycle", async (write: Write, input: CycleCreate) => {
  const { teamId: team } = await findReferences(write, { teamId: ["Team", input.teamId] });
  checkSpan(input.startsAt, input.endsAt);
  const number = team.cycleCounter + 1;
  setInternal(write, "Team", team.id, { cycleCounter: number });
  const cycleId = input.id ?? newId();
  create(write, "Cycle", {
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
async function cycleUpdate(write: Write, input: CycleUpdate, args: { id: string }) {
  const before = await findTarget(write, "Cycle", args.id);
  checkSpan(input.startsAt ?? before.startsAt, input.endsAt ?? before.endsAt);
  update(write, "Cycle", before, {
    ...input,
    startsAt: nullToUndefined(input.startsAt),
    endsAt: nullToUndefined(input.endsAt),
  });
  return { id: before.id };
}

/** Archives a cycle and removes the issues from the cycle, because lists no longer show the cycle. */
async function cycleArchive(write: Write, args: { id: string }) {
  const before = await findTarget(write, "Cycle", args.id);
  await detachReferences(write, "Cycle", before);
  archive(write, "Cycle", before);
  return { id: before.id };
}

function checkSpan(startsAt: unknown, endsAt: unknown): void {
  if (Date.parse(String(endsAt)) > Date.parse(String(startsAt))) return;
  throw invalidInput([{ path: "input.endsAt", message: "must be after startsAt" }]);
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
      url: pageUrl(
        (row) => `'/team/' || (select t.key from team t where t."organizationId" = ${organization(row.build)}
          and t.id = ${column(row, "teamId")}) || '/cycle/' || ${column(row, "number")}`,
      ),
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
