import { z } from "zod";
import { definePreparedStatement, knex, toStatement } from "../../../db/builder.ts";
import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { type ChangeOptions, createRow, insertLinkRow, updateRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { LoadedRow, WireRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { colorSchema, idSchema, longTextSchema, nameSchema, nullToUndefined, referenceSchema } from "../fields.ts";
import { READY_STATE_TYPES, updateReadinessOfTeam } from "../issue/readiness.ts";
import { CLAIM_LIMIT_SCHEMAS } from "../lease/input.ts";
import { ProofInput } from "../proof/input.ts";

const TEAM = { "t.organizationId": "k.organizationId", "t.id": "k.teamId" };

/**
 * Assigns a key to a team. Previous keys of a team stay reserved, so that old identifiers resolve. Keys of deleted
 * teams are free. With `trial`, checks the key without changing anything.
 * @throws conflict if the key belongs to another team, or is reserved for another team.
 */
export async function assignTeamKey(write: WriteContext, teamId: string, key: string, trial = false): Promise<void> {
  const { organizationId } = write.scope;
  const [claim] = await write.trx.query<{ teamId: string; alive: boolean }>(claimOf({ organizationId, key }));
  if (!claim) return insertLinkRow(write, "teamKey", { key, teamId });
  if (claim.teamId === teamId) return;
  if (claim.alive) throw conflict(`key: ${key} belongs to another team; choose another`, undefined, "key");
  if (trial) return;
  await write.trx.query(toStatement(knex("teamKey").where({ organizationId, key }).update({ teamId })));
}

const claimOf = definePreparedStatement(
  "claim-of-key",
  ["organizationId", "key"],
  ({ organizationId, key }) =>
    knex("teamKey as k")
      .leftJoin("team as t", TEAM)
      .where({ "k.organizationId": organizationId, "k.key": key })
      .select("k.teamId", { alive: knex.raw("t.id is not null") }),
  { reads: ["teamKey", "team"] },
);

/** Returns a free key from the first letters of a name, with a number if the letters are taken. */
async function freeKey(write: WriteContext, teamName: string): Promise<string> {
  const letters = teamName.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const stem = letters.replace(/^[0-9]+/, "").slice(0, 3) || "TEAM";
  const { organizationId } = write.scope;
  const alike = knex("teamKey as k").join("team as t", TEAM).where({ "k.organizationId": organizationId });
  const rows = await write.trx.query<{ key: string }>(
    toStatement(alike.whereRaw("starts_with(k.key, ?)", [stem]).select("k.key")),
  );
  const taken = new Set(rows.map((row) => row.key));
  if (!taken.has(stem)) return stem;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}${number}`)) return `${stem}${number}`;
}

const key = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z][A-Z0-9]{0,6}$/, "must be a letter and up to six letters or digits, e.g. ENG");

const fields = {
  key: key.nullish(),
  description: longTextSchema.nullish(),
  color: colorSchema.nullish(),
  icon: nameSchema.nullish(),
  private: z
    .boolean()
    .refine((value) => !value, "there are no private teams: every member sees every team")
    .nullish(),
};

export const TeamCreateInput = z.strictObject({ ...fields, id: idSchema.nullish(), name: nameSchema });
type TeamCreate = z.infer<typeof TeamCreateInput>;

const readyStateTypes = z
  .array(z.enum(READY_STATE_TYPES, `must be one of ${READY_STATE_TYPES.join(", ")}`))
  .min(1, "must name at least one")
  .max(READY_STATE_TYPES.length, "must name each once")
  .transform((types) => READY_STATE_TYPES.filter((type) => types.includes(type)));

/** Input fields that only owners change: rules for agents. */
const owners = {
  proof: ProofInput.nullish(),
  leaseCostLimit: CLAIM_LIMIT_SCHEMAS.costLimit.nullish(),
  leaseTokenLimit: CLAIM_LIMIT_SCHEMAS.tokenLimit.nullish(),
  leaseMinuteLimit: CLAIM_LIMIT_SCHEMAS.minuteLimit.nullish(),
  leaseEqualCallLimit: CLAIM_LIMIT_SCHEMAS.equalCallLimit.nullish(),
};
export const OWNER_ONLY_FIELD_NAMES: readonly string[] = Object.keys(owners);

export const TeamUpdateInput = z.strictObject({
  ...fields,
  ...owners,
  name: nameSchema.nullish(),
  defaultIssueStateId: referenceSchema.nullish(),
  readyStateTypes: readyStateTypes.nullish(),
});
type TeamUpdate = z.infer<typeof TeamUpdateInput>;

/** Default states of a new team. New issues start in the first state. */
export const DEFAULT_WORKFLOW_STATES = [
  ["Backlog", "backlog", "#bec2c8"],
  ["Todo", "unstarted", "#e2e2e2"],
  ["In Progress", "started", "#f2c94c"],
  ["Done", "completed", "#5e6ad2"],
  ["Canceled", "canceled", "#95a2b3"],
  ["Duplicate", "duplicate", "#95a2b3"],
] as const;

/** Creates a team with a key and the six default states. */
export const teamCreate = idempotentById("Team", async (write: WriteContext, input: TeamCreate) => {
  const teamId = input.id ?? newId();
  const teamKey = input.key ?? (await freeKey(write, input.name));
  await assignTeamKey(write, teamId, teamKey);
  const defaultStateId = newId();
  const states = DEFAULT_WORKFLOW_STATES.map(([label, type, shade], position) => {
    return { id: position === 0 ? defaultStateId : newId(), teamId, name: label, type, color: shade, position };
  });
  createRow(write, "Team", {
    id: teamId,
    key: teamKey,
    name: input.name,
    description: input.description ?? null,
    color: input.color ?? null,
    icon: input.icon ?? null,
    private: false,
    readyStateTypes: [...READY_STATE_TYPES],
    proof: null,
    leaseCostLimit: null,
    leaseTokenLimit: null,
    leaseMinuteLimit: null,
    leaseEqualCallLimit: null,
    issueCounter: 0,
    cycleCounter: 0,
    defaultStateId,
  });
  for (const state of states) createRow(write, "WorkflowState", state);
  return { id: teamId };
});

/** Moves a team with all contents to the trash. Lists omit contents of a team in the trash. */
export async function teamDelete(write: WriteContext, args: { id: string }) {
  const before = await findRowOrThrow(write, "Team", args.id);
  const change = { event: "deleted", action: "remove" } as const;
  if (!before.archivedAt) {
    updateRow(write, "Team", before, { archivedAt: write.at }, change);
    updateReadinessOfTeam(write, before.id);
  }
  return { id: before.id };
}

/** Restores a team from the trash. The issues of the team then block other issues again. */
export function restoreTeam(write: WriteContext, before: LoadedRow, patch: WireRow, change: ChangeOptions): void {
  if (updateRow(write, "Team", before as LoadedRow<"Team">, patch, change)) updateReadinessOfTeam(write, before.id);
}

/** Changes a team. With a new key the team's issues get new identifiers, and the old identifiers still resolve. */
export async function teamUpdate(write: WriteContext, input: TeamUpdate, args: { id: string }) {
  const before = await findRowOrThrow(write, "Team", args.id);
  const { defaultIssueStateId: state } = await findReferencedRows(write, {
    defaultIssueStateId: ["WorkflowState", input.defaultIssueStateId],
  });
  if (state && state.teamId !== before.id) {
    throw inputError(`defaultIssueStateId: ${state.name} belongs to another team`, "defaultIssueStateId");
  }
  if (input.key && input.key !== before.key) await assignTeamKey(write, before.id, input.key);
  const patch = {
    name: nullToUndefined(input.name),
    key: nullToUndefined(input.key),
    description: input.description,
    color: input.color,
    icon: input.icon,
    defaultStateId: state?.id,
    readyStateTypes: nullToUndefined(input.readyStateTypes),
    proof: input.proof,
    leaseCostLimit: input.leaseCostLimit,
    leaseTokenLimit: input.leaseTokenLimit,
    leaseMinuteLimit: input.leaseMinuteLimit,
    leaseEqualCallLimit: input.leaseEqualCallLimit,
  };
  const defaultIssueStateId = { before: before.defaultStateId, after: state?.id ?? before.defaultStateId };
  updateRow(write, "Team", before, patch, { also: { defaultIssueStateId } });
  return { id: before.id };
}
