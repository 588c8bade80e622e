import { readOwn } from "../../../../formats/own.ts";
import type { IssueHistoryQuery } from "../../../data/documents.ts";

/** One change of an issue. */
export type Entry = IssueHistoryQuery["issue"]["history"]["nodes"][number];

const PRIORITIES = ["none", "Urgent", "High", "Medium", "Low"];
const EVENTS: Readonly<Record<string, string>> = {
  "issue.created": "created the issue",
  "issue.claimed": "claimed it",
  "issue.proofOverridden": "completed it without the proof that its team demands",
  "issue.released": "gave it back",
  "issue.leaseExpired": "ended the lease: its holder stopped renewing it",
};
const RELATIONS: Readonly<Record<string, string>> = {
  Blocks: "it blocks",
  BlockedBy: "it is blocked by",
  Duplicate: "it is the same as",
  DuplicatedBy: "it is repeated by",
  Related: "it has to do with",
  Similar: "it is like",
  Discovered: "it was found while working on",
  LedTo: "it led to",
};

type Named = { name: string } | null;

/** The phrases of an entry: who did it stands before them. */
export function wordsOf(entry: Entry): string[] {
  const words = [readOwn(EVENTS, entry.event) ?? [], texts(entry), links(entry), sets(entry), ends(entry)].flat();
  return words.length > 0 ? words : ["changed it"];
}

function texts({ fromTitle, toTitle, updatedDescription, toPriority, toIdentifier, toTeam }: Entry): string[] {
  const words: string[] = [];
  if (toTitle) words.push(`renamed it from “${fromTitle}” to “${toTitle}”`);
  if (updatedDescription) words.push("changed the description");
  if (toPriority !== null) words.push(`set the priority to ${PRIORITIES[toPriority] ?? toPriority}`);
  if (toIdentifier) words.push(`moved it to ${toTeam?.name ?? "another team"}, as ${toIdentifier}`);
  return words;
}

/** The phrase for what something was set to, or taken from; empty when it did not change. */
function change<Value>(
  from: Value | null,
  to: Value | null,
  said: [put: (value: Value) => string, take: (value: Value) => string],
) {
  if (to !== null) return [said[0](to)];
  return from === null ? [] : [said[1](from)];
}

const nameOf = ({ number, name }: { number: number; name: string | null }) => name ?? `cycle ${number}`;

function links(entry: Entry): string[] {
  const { fromState, toState } = entry;
  return [
    toState ? `moved it ${fromState ? `from ${fromState.name} ` : ""}to ${toState.name}` : [],
    change<Named>(entry.fromAssignee, entry.toAssignee, [
      (to) => `assigned it to ${to?.name}`,
      (from) => `took it from ${from?.name}`,
    ]),
    change<Named>(entry.fromDelegate, entry.toDelegate, [
      (to) => `delegated it to ${to?.name}`,
      (from) => `took it back from ${from?.name}`,
    ]),
    change<Named>(entry.fromProject, entry.toProject, [
      (to) => `put it into the project ${to?.name}`,
      (from) => `took it out of the project ${from?.name}`,
    ]),
    change<Named>(entry.fromProjectMilestone, entry.toProjectMilestone, [
      (to) => `planned it for the milestone ${to?.name}`,
      (from) => `took it out of the milestone ${from?.name}`,
    ]),
    change(entry.fromCycle, entry.toCycle, [
      (to) => `put it into ${nameOf(to)}`,
      (from) => `took it out of ${nameOf(from)}`,
    ]),
    change(entry.fromParent, entry.toParent, [
      (to) => `made it a part of ${to.identifier}`,
      (from) => `took it out of ${from.identifier}`,
    ]),
  ].flat();
}

function sets(entry: Entry): string[] {
  const named = (labels: readonly { name: string }[] | null) => (labels ?? []).map(({ name }) => name).join(", ");
  const [added, removed] = [named(entry.addedLabels), named(entry.removedLabels)];
  return [
    change(entry.fromEstimate, entry.toEstimate, [(to) => `set the estimate to ${to}`, () => "took off the estimate"]),
    change(entry.fromDueDate, entry.toDueDate, [(to) => `made it due on ${to}`, () => "took off the due date"]),
    added ? `added the label ${added}` : [],
    removed ? `took off the label ${removed}` : [],
    (entry.relationChanges ?? []).map(({ type, identifier }) => {
      const relation = readOwn(RELATIONS, type.replace(/^(add|remove)/, "")) ?? "it is related to";
      return `${type.startsWith("add") ? "said that" : "took back that"} ${relation} ${identifier}`;
    }),
  ].flat();
}

function ends({ archived, trashed }: Entry): string[] {
  if (trashed !== null) return [trashed ? "moved it to the trash" : "took it out of the trash"];
  if (archived !== null) return [archived ? "archived it" : "took it out of the archive"];
  return [];
}
