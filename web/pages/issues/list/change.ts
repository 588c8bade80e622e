import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, MoveIssue, UpdateIssues } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { plural } from "../../../parts/texts/format.ts";
import { toast } from "../../../parts/toast.tsx";
import type { IssueRow } from "./row-type.ts";

/** Most issues that are changed at once. */
export const MOST_AT_ONCE = 50;

/** A change of issues, and the way back. */
export interface Change {
  /** For instance "moved to Done". */
  words: string;
  /** Undefined for an issue that cannot be changed so. */
  change: (issue: IssueRow) => IssueUpdateInput | undefined;
  back: (issue: IssueRow) => IssueUpdateInput;
}

/** The way back of the last change. */
let undoLast: (() => void) | undefined;

/** Takes the last change back, if it can be. */
export function undo(): void {
  undoLast?.();
  undoLast = undefined;
}

/** Changes issues, says so and offers the way back. @throws ApiError when nothing was changed */
export async function changeIssues(issues: readonly IssueRow[], { words, change, back }: Change, after: () => void) {
  const inputs = new Map<string, { input: IssueUpdateInput; ids: string[] }>();
  for (const issue of issues) {
    const input = change(issue);
    if (!input) continue;
    const key = JSON.stringify(input);
    inputs.set(key, { input, ids: [...(inputs.get(key)?.ids ?? []), issue.id] });
  }
  const changed: { id: string; updatedAt: string }[] = [];
  for (const { input, ids } of inputs.values()) {
    const { issueBatchUpdate } = await request(UpdateIssues, { ids, input });
    changed.push(...issueBatchUpdate.issues);
  }
  after();
  const named = changed.length === 1 ? issues.find(({ id }) => id === changed[0]?.id)?.identifier : undefined;
  const left = issues.length - changed.length;
  const way = () => void takeBack(issues, changed, back).then(after);
  undoLast = way;
  toast(`${named ?? plural(changed.length, "issue")} ${words}${left > 0 ? `, ${left} left as they are` : ""}.`, {
    name: "Undo",
    act: undo,
  });
}

/** Puts back what was changed, and only where nobody has changed the issue since. */
async function takeBack(
  issues: readonly IssueRow[],
  changed: readonly { id: string; updatedAt: string }[],
  back: Change["back"],
): Promise<void> {
  const refusals: string[] = [];
  for (const { id, updatedAt } of changed) {
    const issue = issues.find((each) => each.id === id);
    if (!issue) continue;
    await request(MoveIssue, { id, input: { ...back(issue), updatedAt } }).catch((error: ApiError) => {
      refusals.push(error.code === "CONFLICT" ? `${issue.identifier} was changed since` : error.message);
    });
  }
  const done = changed.length - refusals.length;
  const why = refusals.length > 0 ? `; ${refusals.slice(0, 3).join(", ")}` : "";
  toast(`${plural(done, "issue")} put back${why}.`);
}
