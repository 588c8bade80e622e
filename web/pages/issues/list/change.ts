import { signal } from "@preact/signals";
import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, MoveIssue, UpdateIssues } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { formatPlural } from "../../../parts/texts/format.ts";
import { showToast } from "../../../parts/toast.tsx";
import { findRefusedCompletion } from "../side/unproven.tsx";
import type { IssueRow } from "./row-type.ts";

/** Maximum number of issues in one action. */
export const MAX_ISSUES_PER_ACTION = 50;

/** Change of issues, with the reverse change for undo. */
export interface IssueChange {
  /** Text for the notification, for example "moved to Done". */
  words: string;
  /** Returns the input of the change; undefined for an issue that the change does not apply to. */
  change: (issue: IssueRow) => IssueUpdateInput | undefined;
  back: (issue: IssueRow) => IssueUpdateInput;
}

/** Undoes the last change. */
let undoLast: (() => void) | undefined;

/** Undoes the last change, if possible. */
export function undoLastChange(): void {
  undoLast?.();
  undoLast = undefined;
}

/**
 * Issues that stayed open because the team requires proof, with the missing proof, and a function that completes the
 * issues without proof.
 */
interface Unproven {
  refused: readonly { issue: IssueRow; words: string }[];
  complete: () => Promise<void>;
}

/** Issues without proof that the dialog asks about. */
export const unprovenIssues = signal<Unproven | undefined>(undefined);

/**
 * Changes issues, shows a notification and offers undo. Opens a dialog about issues that lack a required proof. Stops
 * at any other error, and lists the issues that were changed and the issues that were not.
 * @throws ApiError if no issue was changed
 */
export async function changeIssues(issues: readonly IssueRow[], change: IssueChange, after: () => void) {
  const applied = await applyChange(issues, change);
  const { changed, refused, error } = applied;
  after();
  const complete = async () => {
    const input = (issue: IssueRow) => ({ ...change.change(issue), overrideProof: true });
    const further = await applyChange(
      refused.map(({ issue }) => issue),
      { ...change, change: input },
    );
    after();
    notifyChange(issues, { ...further, changed: [...changed, ...further.changed] }, change, after);
  };
  if (error && changed.length === 0) throw error;
  if (refused.length > 0 && !error) unprovenIssues.value = { refused, complete };
  if (changed.length > 0 || refused.length === 0) notifyChange(issues, applied, change, after);
}

type Changed = { id: string; updatedAt: string };

/** Changed issues, issues that lack a proof, and the error that stopped the change. */
interface AppliedChange {
  changed: Changed[];
  refused: { issue: IssueRow; words: string }[];
  error?: ApiError;
}

/**
 * Changes issues, with one request for all issues that take the same input. Stops at the first error other than a
 * missing proof.
 */
async function applyChange(issues: readonly IssueRow[], change: IssueChange): Promise<AppliedChange> {
  const applied: AppliedChange = { changed: [], refused: [] };
  await applyAll(issues, change, applied).catch((error: ApiError) => {
    applied.error = error;
  });
  return applied;
}

async function applyAll(issues: readonly IssueRow[], { change }: IssueChange, applied: AppliedChange): Promise<void> {
  const groups = new Map<string, { input: IssueUpdateInput; issues: IssueRow[] }>();
  for (const issue of issues) {
    const input = change(issue);
    if (!input) continue;
    const key = JSON.stringify(input);
    groups.set(key, { input, issues: [...(groups.get(key)?.issues ?? []), issue] });
  }
  for (const { input, issues: same } of groups.values()) {
    const ids = same.map(({ id }) => id);
    const answer = await requestGraphQL(UpdateIssues, { ids, input }).catch((error: ApiError) => {
      if (!findRefusedCompletion(error, input)) throw error;
    });
    if (answer) applied.changed.push(...answer.issueBatchUpdate.issues);
    else await applyEach(same, input, applied);
  }
}

/** Changes issues one by one, because the error response to a bulk change names only the first issue without proof. */
async function applyEach(issues: readonly IssueRow[], input: IssueUpdateInput, { changed, refused }: AppliedChange) {
  for (const issue of issues) {
    const answer = await requestGraphQL(MoveIssue, { id: issue.id, input }).catch((error: ApiError) => {
      if (!findRefusedCompletion(error, input)) throw error;
      refused.push({ issue, words: error.message });
    });
    if (answer?.issueUpdate.issue) changed.push(answer.issueUpdate.issue);
  }
}

/** Maximum number of identifiers in a notification. */
const NAMED = 5;

/**
 * Shows what was changed, and offers undo. After an error the notification names the issues, because only some of the
 * issues were changed.
 */
function notifyChange(
  issues: readonly IssueRow[],
  { changed, error }: AppliedChange,
  { words, back }: IssueChange,
  after: () => void,
) {
  const isChanged = (issue: IssueRow) => changed.some(({ id }) => id === issue.id);
  const done = issues.filter(isChanged);
  const left = issues.length - done.length;
  undoLast = () => void takeBack(issues, changed, back).then(after);
  const what = error || done.length === 1 ? namesOf(done) : formatPlural(done.length, "issue");
  const rest = error ? `; ${namesOf(issues.filter((issue) => !isChanged(issue)))} not: ${error.message}` : "";
  showToast(`${what} ${words}${rest || (left > 0 ? `, ${left} not changed.` : ".")}`, {
    name: "Undo",
    act: undoLastChange,
  });
}

/**
 * Lists the identifiers of issues. For many issues, lists only the first identifiers and the number of further issues.
 */
function namesOf(issues: readonly IssueRow[]): string {
  const names = issues.slice(0, NAMED).map(({ identifier }) => identifier);
  const more = issues.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Reverts the change of each issue, except for issues that were changed again since. */
async function takeBack(
  issues: readonly IssueRow[],
  changed: readonly { id: string; updatedAt: string }[],
  back: IssueChange["back"],
): Promise<void> {
  const refusals: string[] = [];
  for (const { id, updatedAt } of changed) {
    const issue = issues.find((each) => each.id === id);
    if (!issue) continue;
    await requestGraphQL(MoveIssue, { id, input: { ...back(issue), updatedAt } }).catch((error: ApiError) => {
      refusals.push(error.code === "CONFLICT" ? `${issue.identifier} was changed in the meantime` : error.message);
    });
  }
  const done = changed.length - refusals.length;
  const why = refusals.length > 0 ? `; ${refusals.slice(0, 3).join(", ")}` : "";
  showToast(`${formatPlural(done, "issue")} restored${why}.`);
}
