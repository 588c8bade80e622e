import { z } from "zod";
import { checkEntityLimit } from "../../accounts/bound.ts";
import { AppError, forbidden, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { filterSql } from "../../read/filter/filter.ts";
import { columnSql, createStatementBuild, findEntity, newRow } from "../../read/row.ts";
import { parsePlanKey, shapeOfValue } from "../../read/shape.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { removeMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  colorSchema,
  idSchema,
  isHiddenWithTeamSql,
  longTextSchema,
  MAX_LONG_TEXT_BYTES,
  nameSchema,
  nullToUndefined,
  organizationLink,
  referenceSchema,
} from "../fields.ts";
import { defineInputMutation, type Resource } from "../resource.ts";

/** Maximum bytes of a stored filter, as JSON. */
const FILTER_BYTES = 16 * 1024;

/**
 * Validates a filter of issues before storing it, with the same checks as for a query.
 * @throws inputError for a filter that a list of issues would reject
 */
function checkIssueFilter<Filter extends object>({ model, scope }: WriteContext, filterData: Filter): Filter {
  if (Buffer.byteLength(JSON.stringify(filterData)) > FILTER_BYTES) {
    throw inputError(`filterData must be at most ${FILTER_BYTES / 1024} KiB`, "filterData");
  }
  const shapes = parsePlanKey(`[${shapeOfValue({ filterData })}]`);
  const value = shapes[0] ? shapes[0]["filterData"] : undefined;
  const build = createStatementBuild(model, shapes);
  try {
    filterSql(newRow(build, findEntity(build, "Issue")), { argumentIndex: 0, path: ["filterData"], value });
    for (const get of build.getters) get({ scope, args: [{ filterData }] });
  } catch (error) {
    // Other errors mean that the filter has an unexpected shape. An imported row may have any shape, because the
    // GraphQL schema has not validated the row.
    throw error instanceof AppError ? error : inputError("filterData is not a filter of issues", "filterData");
  }
  return filterData;
}

const columns = {
  ...BASE_COLUMNS,
  name: "text",
  description: nullable("text"),
  icon: nullable("text"),
  color: nullable("text"),
  shared: "boolean",
  filterData: "json",
  ownerId: "uuid",
  creatorId: nullable("uuid"),
  teamId: nullable("uuid"),
  projectId: nullable("uuid"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    CustomView: { stored: ColumnValues<typeof columns> };
  }
}

const UpdateInput = z.strictObject({
  name: nameSchema.nullish(),
  description: longTextSchema.nullish(),
  icon: nameSchema.nullish(),
  color: colorSchema.nullish(),
  shared: z.boolean().nullish(),
  filterData: z.record(z.string(), z.unknown()).nullish(),
  teamId: referenceSchema.nullish(),
  projectId: referenceSchema.nullish(),
});
const CreateInput = UpdateInput.extend({ id: idSchema.nullish(), name: nameSchema });

/** Creates a view that the caller owns. */
export async function createView(write: WriteContext, input: z.infer<typeof CreateInput>) {
  const { teamId, projectId, shared, filterData, ...given } = input;
  const found = await findReferencedRows(write, { teamId: ["Team", teamId], projectId: ["Project", projectId] });
  await checkEntityLimit(write, "CustomView", 5_000);
  const { userId } = write.scope;
  return createRow(write, "CustomView", {
    ...given,
    id: input.id ?? newId(),
    shared: shared ?? false,
    filterData: checkIssueFilter(write, filterData ?? {}),
    ownerId: userId,
    creatorId: userId,
    teamId: found.teamId?.id,
    projectId: found.projectId?.id,
  });
}

/** A saved filter of issues, private to its owner or shared with the organization. */
export const customViewResource: Resource = {
  entity: {
    name: "CustomView",
    table: "customView",
    event: "customView",
    columns,
    personal: { owner: "ownerId", shared: "shared" },
    tuning: { long: { description: MAX_LONG_TEXT_BYTES, filterData: FILTER_BYTES } },
    computed: {
      slugId: { type: "text", published: true, sql: (row) => `right(${columnSql(row, "id")}::text, 12)` },
    },
    hidden: isHiddenWithTeamSql,
    one: {
      organization: organizationLink,
      owner: { entity: "User", by: "ownerId", onDelete: "cascade" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      project: { entity: "Project", by: "projectId", onDelete: "cascade" },
    },
  },
  one: { customView: { entity: "CustomView" } },
  many: { customViews: { entity: "CustomView" } },
  mutations: {
    customViewCreate: defineInputMutation("member", CreateInput, idempotentById("CustomView", createView)),
    customViewUpdate: defineInputMutation("member", UpdateInput, async (write, input, args: { id: string }) => {
      const before = await findRowOrThrow(write, "CustomView", args.id);
      const { teamId: team, projectId: project } = await findReferencedRows(write, {
        teamId: ["Team", input.teamId],
        projectId: ["Project", input.projectId],
      });
      const shared = nullToUndefined(input.shared);
      if (shared === false && before.ownerId !== write.scope.userId) {
        throw forbidden("only the owner of a shared view may make the view private");
      }
      updateRow(write, "CustomView", before, {
        ...input,
        name: nullToUndefined(input.name),
        shared,
        filterData: input.filterData ? checkIssueFilter(write, input.filterData) : undefined,
        teamId: input.teamId && team?.id,
        projectId: input.projectId && project?.id,
      });
      return { id: before.id };
    }),
    customViewDelete: removeMutation("CustomView"),
  },
};
