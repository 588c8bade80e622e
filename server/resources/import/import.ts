import { getOwnProperty } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow, setInternalColumns } from "../../write/change.ts";
import { findRowOrThrow } from "../../write/find.ts";
import type { WriteContext } from "../../write/write.ts";
import { updateReadiness } from "../issue/readiness.ts";
import { defineInputMutation, type Mutation } from "../resource.ts";
import { getTeamByKey, type ImportBatch, type ImportOutcome, scopedKey } from "./batch.ts";
import {
  IMPORT_ROW_SCHEMAS,
  type ImportRow,
  type ImportRowKind,
  IssueBatchImportInput,
  type ValidImportRow,
} from "./input.ts";
import { importComment, importIssue } from "./issue.ts";
import { importLabel } from "./label.ts";
import { loadBatch } from "./load.ts";
import { importMilestone, importProject, importTemplate, importView } from "./planning.ts";
import {
  importParent,
  importRelation,
  loadIssueParents,
  loadRelationNetwork,
  type ParentMap,
  type RelationNetwork,
} from "./relation.ts";
import { importTeam } from "./team.ts";

/** Reason for rejecting a row. */
interface Refusal {
  field: string | undefined;
  message: string;
}

/**
 * Imports rows with their dates, authors and identifiers from another system. Each row is independent: a rejected row
 * does not affect other rows, and an existing row stays unchanged. An import can therefore be repeated or resumed.
 */
export const issueBatchImport: Mutation = {
  ...defineInputMutation("owner", IssueBatchImportInput, async (write, { source, rows, dryRun }) => {
    const checked = rows.map(check);
    const good = checked.flatMap((row) => ("kind" in row ? [row] : []));
    const batch = await loadBatch(write, { source, dryRun: dryRun ?? false }, good);
    const context = {
      batch,
      family: await loadIssueParents(batch, good),
      network: await loadRelationNetwork(batch, good),
    };
    const results: object[] = [];
    for (const [row, one] of checked.entries()) {
      const outcome = "kind" in one ? await attempt(context, one) : one;
      results.push({ row, ...("status" in outcome ? outcome : { status: "refused", ...outcome }) });
    }
    await finish(context);
    if (dryRun) discard(write);
    return { values: { results }, kept: JSON.stringify(results) };
  }),
  async onReplay(_, { kept, ...result }) {
    return { ...result, values: { results: JSON.parse(kept ?? "[]") } };
  },
};

/** Returns a row with kind and validated fields, or the reason for rejecting the row. */
function check(value: unknown): ValidImportRow | Refusal {
  const [[kind, fields] = ["", undefined], ...more] = Object.entries(Object(value));
  if (!isKind(kind) || more.length > 0) {
    return {
      field: undefined,
      message: `must be an object with one member: ${Object.keys(IMPORT_ROW_SCHEMAS).join(", ")}`,
    };
  }
  const { success, data, error } = IMPORT_ROW_SCHEMAS[kind].safeParse(fields);
  if (success) return { kind, fields: data } as ValidImportRow;
  const [first] = error.issues;
  const missing = first?.code === "invalid_type" && valueAt(fields, first.path) === undefined;
  return { field: first?.path.join("."), message: missing ? "must be given" : (first?.message ?? "is wrong") };
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((found: unknown, key) => getOwnProperty(Object(found), String(key)), value);

const isKind = (name: string): name is ImportRowKind => Object.hasOwn(IMPORT_ROW_SCHEMAS, name);

interface Context {
  batch: ImportBatch;
  family: ParentMap;
  network: RelationNetwork;
}

async function attempt(context: Context, row: ValidImportRow): Promise<ImportOutcome | Refusal> {
  try {
    return await importRow(context, row);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { field: error.details.field, message: error.message };
  }
}

/** Imports a row. Each kind validates everything before writing. */
function importRow(
  { batch, family, network }: Context,
  { kind, fields }: ValidImportRow,
): ImportOutcome | Promise<ImportOutcome> {
  switch (kind) {
    case "team":
      return importTeam(batch, fields);
    case "label":
      return importLabel(batch, fields);
    case "project":
      return importProject(batch, fields);
    case "cycle":
      return importCycle(batch, fields);
    case "issue":
      return importIssue(batch, fields);
    case "comment":
      return importComment(batch, fields);
    case "parent":
      return importParent(batch, fields, family);
    case "relation":
      return importRelation(batch, fields, network);
    case "milestone":
      return importMilestone(batch, fields);
    case "view":
      return importView(batch, fields);
    case "template":
      return importTemplate(batch, fields);
  }
}

/** Writes the results of all rows together: the counters of teams, and the readiness of issues. */
async function finish({ batch, network }: Context): Promise<void> {
  const { write, teams } = batch;
  for (const { id, issueCounter, cycleCounter } of new Set(teams.values())) {
    // Loads the team before the update, so that the row cache receives the new counters.
    const { issueCounter: issues, cycleCounter: cycles } = await findRowOrThrow(write, "Team", id);
    if (issues !== issueCounter || cycles !== cycleCounter)
      setInternalColumns(write, "Team", id, { issueCounter, cycleCounter });
  }
  updateReadiness(write, [...network.touched]);
}

/** Discards all pending writes. */
function discard(write: WriteContext): void {
  for (const list of [write.operations, write.entries, write.followUps]) list.length = 0;
  write.rows.clear();
  write.before.clear();
}

/** Imports a cycle with the original number, unless the team already has a cycle with that number. */
function importCycle({ write, cycles, ...batch }: ImportBatch, fields: ImportRow<"cycle">): ImportOutcome {
  const team = getTeamByKey({ write, cycles, ...batch }, fields.team);
  const key = scopedKey(team.id, fields.number);
  const there = cycles.get(key);
  if (there) return { status: "exists", entityId: there };
  const { number, name, description, startsAt, endsAt, completedAt, archivedAt } = fields;
  const id = newId();
  const more = { name, description, completedAt, archivedAt };
  createRow(write, "Cycle", { id, teamId: team.id, number, startsAt, endsAt, ...more });
  team.cycleCounter = Math.max(team.cycleCounter, number);
  cycles.set(key, id);
  return { status: "created", entityId: id };
}
