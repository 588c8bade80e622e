import { signal } from "@preact/signals";
import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, MoveIssue, UpdateIssues } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { plural } from "../../../parts/texts/format.ts";
import { toast } from "../../../parts/toast.tsx";
import { refusedOf } from "../side/unproven.tsx";
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

/** Issues that their teams refuse to complete without a proof, what each lacks, and what completes them all the same. */
interface Unproven {
  refused: readonly { issue: IssueRow; words: string }[];
  complete: () => Promise<void>;
}

/** The refused issues that somebody is asked about. */
export const unproven = signal<Unproven | undefined>(undefined);

/**
 * Changes issues, says so and offers the way back. Asks about those that lack a proof. After any other error it stops, and
 * says which were changed before it, and which were not.
 * @throws ApiError when nothing was changed
 */
export async function changeIssues(issues: readonly IssueRow[], change: Change, after: () => void) {
  const applied = await apply(issues, change);
  const { changed, refused, error } = applied;
  after();
  const complete = async () => {
    const input = (issue: IssueRow) => ({ ...change.change(issue), overrideProof: true });
    const further = await apply(
      refused.map(({ issue }) => issue),
      { ...change, change: input },
    );
    after();
    say(issues, { ...further, changed: [...changed, ...further.changed] }, change, after);
  };
  if (error && changed.length === 0) throw error;
  if (refused.length > 0 && !error) unproven.value = { refused, complete };
  if (changed.length > 0 || refused.length === 0) say(issues, applied, change, after);
}

type Changed = { id: string; updatedAt: string };

/** The issues that were changed, those that lack a proof, and the error at which the others were left. */
interface Applied {
  changed: Changed[];
  refused: { issue: IssueRow; words: string }[];
  error?: ApiError;
}

/** Makes a change of issues, those that take the same input at once, until an error that is no missing proof. */
async function apply(issues: readonly IssueRow[], change: Change): Promise<Applied> {
  const applied: Applied = { changed: [], refused: [] };
  await applyAll(issues, change, applied).catch((error: ApiError) => {
    applied.error = error;
  });
  return applied;
}

async function applyAll(issues: readonly IssueRow[], { change }: Change, applied: Applied): Promise<void> {
  const groups = new Map<string, { input: IssueUpdateInput; issues: IssueRow[] }>();
  for (const issue of issues) {
    const input = change(issue);
    if (!input) continue;
    const key = JSON.stringify(input);
    groups.set(key, { input, issues: [...(groups.get(key)?.issues ?? []), issue] });
  }
  for (const { input, issues: same } of groups.values()) {
    const ids = same.map(({ id }) => id);
    const answer = await request(UpdateIssues, { ids, input }).catch((error: ApiError) => {
      if (!refusedOf(error, input)) throw error;
    });
    if (answer) applied.changed.push(...answer.issueBatchUpdate.issues);
    else await applyEach(same, input, applied);
  }
}

/** Changes issues one by one: a refusal of several names the first that lacks a proof alone. */
async function applyEach(issues: readonly IssueRow[], input: IssueUpdateInput, { changed, refused }: Applied) {
  for (const issue of issues) {
    const answer = await request(MoveIssue, { id: issue.id, input }).catch((error: ApiError) => {
      if (!refusedOf(error, input)) throw error;
      refused.push({ issue, words: error.message });
    });
    if (answer?.issueUpdate.issue) changed.push(answer.issueUpdate.issue);
  }
}

/** Identifiers that are named one by one. */
const NAMED = 5;

/** Says what was changed, and offers the way back. After an error it names the issues: some are changed, and some are not. */
function say(issues: readonly IssueRow[], { changed, error }: Applied, { words, back }: Change, after: () => void) {
  const isChanged = (issue: IssueRow) => changed.some(({ id }) => id === issue.id);
  const done = issues.filter(isChanged);
  const left = issues.length - done.length;
  undoLast = () => void takeBack(issues, changed, back).then(after);
  const what = error || done.length === 1 ? namesOf(done) : plural(done.length, "issue");
  const rest = error ? `; ${namesOf(issues.filter((issue) => !isChanged(issue)))} not: ${error.message}` : "";
  toast(`${what} ${words}${rest || (left > 0 ? `, ${left} left as they are.` : ".")}`, { name: "Undo", act: undo });
}

/** The identifiers of issues, the first ones where there are many. */
function namesOf(issues: readonly IssueRow[]): string {
  const names = issues.slice(0, NAMED).map(({ identifier }) => identifier);
  const more = issues.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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
