import { knex, toStatement } from "../../../db/builder.ts";
import { buildLowerCaseNfcSql } from "../../../db/text/canonical.ts";
import { toCanonicalText } from "../../../formats/names.ts";
import { conflict } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { columnSql } from "../../read/row.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import { loadRows } from "../../write/load.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { archive } from "../archive.ts";
import { BASE_COLUMNS, isHiddenWithTeamSql, nullToUndefined, organizationLink, pageUrl } from "../fields.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import {
  type WorkflowStateCreate,
  WorkflowStateCreateInput,
  type WorkflowStateUpdate,
  WorkflowStateUpdateInput,
} from "./input.ts";

const columns = {
  ...BASE_COLUMNS,
  teamId: "uuid",
  name: "text",
  type: "text",
  color: "text",
  description: nullable("text"),
  position: "float",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    WorkflowState: { stored: ColumnValues<typeof columns> };
  }
}

/** Creates a state of a team, at the end unless a position is given. */
const workflowStateCreate = idempotentById("WorkflowState", async (write: WriteContext, input: WorkflowStateCreate) => {
  const { teamId: team } = await findReferencedRows(write, { teamId: ["Team", input.teamId] });
  const others = await namesake(write, team.id, input.name);
  if (others.taken) throw taken(input.name);
  const stateId = input.id ?? newId();
  createRow(write, "WorkflowState", {
    id: stateId,
    teamId: team.id,
    name: input.name,
    type: input.type,
    color: input.color,
    description: input.description ?? null,
    position: input.position ?? others.last + 1,
  });
  return { id: stateId };
});

/** Changes a state. Absent fields stay unchanged. */
async function workflowStateUpdate(write: WriteContext, input: WorkflowStateUpdate, args: { id: string }) {
  const before = await findRowOrThrow(write, "WorkflowState", args.id);
  if (input.name && input.name !== before.name) {
    const others = await namesake(write, before.teamId, input.name, before.id);
    if (others.taken) throw taken(input.name);
  }
  updateRow(write, "WorkflowState", before, {
    name: nullToUndefined(input.name),
    color: nullToUndefined(input.color),
    description: input.description,
    position: nullToUndefined(input.position),
  });
  return { id: before.id };
}

/**
 * Archives a state that has no issues, not even archived issues or issues in the trash. @throws conflict if an issue is
 * in the state, or for the team's default state.
 */
async function workflowStateArchive(write: WriteContext, args: { id: string }) {
  const before = await findRowOrThrow(write, "WorkflowState", args.id);
  const teamId = before.teamId;
  await loadRows(write, [["Team", teamId]]);
  const team = await findRowOrThrow(write, "Team", teamId);
  if (team.defaultStateId === before.id) {
    throw conflict(
      "it is where new issues of the team start; choose another with teamUpdate defaultIssueStateId first",
    );
  }
  const { organizationId } = write.scope;
  const issues = knex("issue").where({ organizationId, stateId: before.id });
  const [used] = await write.trx.query(toStatement(issues.limit(1).select("id")));
  if (used)
    throw conflict(
      "issues are in this state, possibly archived or in the trash; move these issues to another state first",
    );
  archive(write, "WorkflowState", before);
  return { id: before.id };
}

/**
 * Returns whether a team has another state with the name, ignoring case and normal form, and the position of the
 * team's last state.
 */
async function namesake(write: WriteContext, teamId: string, stateName: string, except?: string) {
  const { organizationId } = write.scope;
  const named = `${buildLowerCaseNfcSql("name")} = lower(?) and "archivedAt" is null and id is distinct from ?`;
  const states = knex("workflowState")
    .where({ organizationId, teamId })
    .select({
      taken: knex.raw(`coalesce(bool_or(${named}), false)`, [toCanonicalText(stateName), except ?? null]),
      last: knex.raw("coalesce(max(position), -1)"),
    });
  const [row] = await write.trx.query<{ taken: boolean; last: number }>(toStatement(states));
  return row ?? { taken: false, last: -1 };
}

const taken = (stateName: string) =>
  conflict(`the team already has a state named ${stateName}; choose another name`, undefined, "name");

export const workflowStateResource: Resource = {
  entity: {
    name: "WorkflowState",
    table: "workflowState",
    exact: ["type"],
    event: "workflowState",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      url: pageUrl((row) => `'/settings/states/' || ${columnSql(row, "id")}`),
    },
    hidden: isHiddenWithTeamSql,
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    one: { organization: organizationLink, team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" } },
    many: { issues: { entity: "Issue", by: "stateId" } },
  },
  one: { workflowState: { entity: "WorkflowState" } },
  many: { workflowStates: { entity: "WorkflowState" } },
  mutations: {
    workflowStateCreate: defineInputMutation("member", WorkflowStateCreateInput, workflowStateCreate),
    workflowStateUpdate: defineInputMutation("member", WorkflowStateUpdateInput, workflowStateUpdate),
    workflowStateArchive: defineIdMutation("member", workflowStateArchive),
  },
};
