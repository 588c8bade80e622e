import { z } from "zod";
import { addLink, create, setInternal } from "../core/change.ts";
import { references as load, type Reference } from "../core/find.ts";
import { newId } from "../core/id.ts";
import type { Raw, Write } from "../core/write.ts";
import { inputError } from "../errors.ts";
import { id, longText, position, priority, reference, references, title } from "./fields.ts";

/** Fields that creating and changing an issue share. */
export const issueFields = {
  description: longText.nullish(),
  priority: priority.nullish(),
  estimate: z.number().int().min(0, "must be 0 or more").max(1_000, "must be at most 1000").nullish(),
  stateId: reference.nullish(),
  assigneeId: reference.nullish(),
  parentId: reference.nullish(),
  projectId: reference.nullish(),
  cycleId: reference.nullish(),
  labelIds: references.nullish(),
  dueDate: z.iso.date().nullish(),
  sortOrder: position.nullish(),
};

export const IssueCreateInput = z.strictObject({
  ...issueFields,
  id: id.nullish(),
  teamId: reference,
  title,
  createdAt: z.iso.datetime().nullish(),
  completedAt: z.iso.datetime().nullish(),
});
export type IssueCreateInput = z.infer<typeof IssueCreateInput>;

/** Creates an issue with the next number of its team. */
export async function issueCreate(write: Write, input: IssueCreateInput) {
  const found = await load(write, issueReferences(input));
  const team = found.teamId as Raw;
  const { stateId = (await load(write, { stateId: ["WorkflowState", team.defaultStateId] })).stateId } = found;
  checkTeam(found, String(team.id));
  const issueId = input.id ?? newId();
  const number = Number(team.issueCounter) + 1;
  setInternal(write, "Team", String(team.id), { issueCounter: number });
  create(write, "Issue", {
    id: issueId,
    teamId: team.id,
    number,
    title: input.title,
    description: input.description ?? null,
    priority: input.priority ?? 0,
    estimate: input.estimate ?? null,
    sortOrder: input.sortOrder ?? 0,
    dueDate: input.dueDate ?? null,
    creatorId: write.scope.userId,
    ...Object.fromEntries(LINKS.map((link) => [link, found[link]?.id ?? null])),
    ...stateStamps(write, stateId as Raw, {}),
    stateId: stateId?.id,
    ...(input.createdAt && { createdAt: input.createdAt }),
    ...(input.completedAt && { completedAt: input.completedAt }),
  });
  for (const labelId of labelIdsOf(found)) addLink(write, "issueLabelLink", { issueId, labelId });
  return { id: issueId };
}

const LINKS = ["assigneeId", "parentId", "projectId", "cycleId"] as const;

/** The part of an input that refers to other rows. */
type Referring = {
  [Field in (typeof LINKS)[number] | "teamId" | "stateId"]?: string | null | undefined;
} & { labelIds?: readonly string[] | null | undefined };

/** Everything an input can refer to, by the field that does. */
export function issueReferences(input: Referring): Record<string, Reference> {
  return {
    teamId: ["Team", input.teamId],
    stateId: ["WorkflowState", input.stateId],
    assigneeId: ["User", input.assigneeId],
    parentId: ["Issue", input.parentId],
    projectId: ["Project", input.projectId],
    cycleId: ["Cycle", input.cycleId],
    ...labelReferences("labelIds", input.labelIds),
  };
}

/** References of a list of labels, one name a label. */
export const labelReferences = (field: string, ids: readonly string[] | null | undefined): Record<string, Reference> =>
  Object.fromEntries((ids ?? []).map((labelId, at) => [`${field}.${at}`, ["IssueLabel", labelId] as const]));

/** Ids of the labels found under a field, each once. */
export const labelIdsOf = (found: Record<string, Raw>, field = "labelIds"): string[] => [
  ...new Set(Object.entries(found).flatMap(([name, row]) => (name.startsWith(`${field}.`) ? [String(row.id)] : []))),
];

/** @throws inputError when a state, cycle or label belongs to another team than the issue. */
export function checkTeam(found: Record<string, Raw>, teamId: string): void {
  for (const [field, row] of Object.entries(found)) {
    const own = field === "stateId" || field === "cycleId" || /abelIds\./.test(field);
    if (own && row.teamId && row.teamId !== teamId) {
      throw inputError(`${field}: ${String(row.name ?? row.id)} belongs to another team than the issue`, field);
    }
  }
}

/** The moments that entering a state stamps on an issue, and those that leaving one clears (decisions §3). */
export function stateStamps(write: Write, state: Raw, before: Raw): Raw {
  const begun = state.type === "backlog" || state.type === "unstarted";
  return {
    startedAt: begun ? null : state.type === "started" ? (before.startedAt ?? write.at) : (before.startedAt ?? null),
    completedAt: state.type === "completed" ? (before.completedAt ?? write.at) : null,
    canceledAt: state.type === "canceled" || state.type === "duplicate" ? (before.canceledAt ?? write.at) : null,
  };
}
