import { readOwn } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { create, setInternal } from "../../write/change.ts";
import { findTarget } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { updateReadiness } from "../issue/readiness.ts";
import { type Mutation, mutation } from "../resource.ts";
import { type ImportBatch, type Outcome, scopedKey, teamNamed } from "./batch.ts";
import { type ImportRow, IssueBatchImportInput, KINDS, type Kind, type Row } from "./input.ts";
import { importComment, importIssue } from "./issue.ts";
import { importLabel } from "./label.ts";
import { loadBatch } from "./load.ts";
import { importMilestone, importProject, importTemplate, importView } from "./planning.ts";
import {
  importParent,
  importRelation,
  loadFamily,
  loadNetwork,
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
  ...mutation("owner", IssueBatchImportInput, async (write, { source, rows, dryRun }) => {
    const checked = rows.map(check);
    const good = checked.flatMap((row) => ("kind" in row ? [row] : []));
    const batch = await loadBatch(write, { source, dryRun: dryRun ?? false }, good);
    const context = { batch, family: await loadFamily(batch, good), network: await loadNetwork(batch, good) };
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
function check(value: unknown): Row | Refusal {
  const [[kind, fields] = ["", undefined], ...more] = Object.entries(Object(value));
  if (!isKind(kind) || more.length > 0) {
    return { field: undefined, message: `must be an object with one member: ${Object.keys(KINDS).join(", ")}` };
  }
  const { success, data, error } = KINDS[kind].safeParse(fields);
  if (success) return { kind, fields: data } as Row;
  const [first] = error.issues;
  const missing = first?.code === "invalid_type" && valueAt(fields, first.path) === undefined;
  return { field: first?.path.join("."), message: missing ? "must be given" : (first?.message ?? "is wrong") };
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((found: unknown, key) => readOwn(Object(found), String(key)), value);

const isKind = (name: string): name is Kind => Object.hasOwn(KINDS, name);

interface Context {
  batch: ImportBatch;
  family: ParentMap;
  network: RelationNetwork;
}

async function attempt(context: Context, row: Row): Promise<Outcome | Refusal> {
  try {
    return await importRow(context, row);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { field: error.details.field, message: error.message };
  }
}

/** Imports a row. Each kind validates everything before writing. */
function importRow({ batch, family, network }: Context, { kind, fields }: Row): Outcome | Promise<Outcome> {
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
    // Loaded first, so that the row cache gets the new counters.
    const { issueCounter: issues, cycleCounter: cycles } = await findTarget(write, "Team", id);
    if (issues !== issueCounter || cycles !== cycleCounter)
      setInternal(write, "Team", id, { issueCounter, cycleCounter });
  }
  updateReadiness(write, [...network.touched]);
}

/** Discards all pending writes. */
function discard(write: Write): void {
  for (const list of [write.operations, write.entries, write.followUps]) list.length = 0;
  write.rows.clear();
  write.before.clear();
}

/** Imports a cycle with the original number, unless the team already has a cycle with that number. */
function importCycle({ write, cycles, ...batch }: ImportBatch, fields: ImportRow<"cycle">): Outcome {
  const team = teamNamed({ write, cycles, ...batch }, fields.team);
  const key = scopedKey(team.id, fields.number);
  const there = cycles.get(key);
  if (there) return { status: "exists", entityId: there };
  const { number, name, description, startsAt, endsAt, completedAt, archivedAt } = fields;
  const id = newId();
  const more = { name, description, completedAt, archivedAt };
  create(write, "Cycle", { id, teamId: team.id, number, startsAt, endsAt, ...more });
  team.cycleCounter = Math.max(team.cycleCounter, number);
  cycles.set(key, id);
  return { status: "created", entityId: id };
}
