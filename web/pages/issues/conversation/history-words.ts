import { getOwnProperty } from "../../../../formats/own.ts";
import type { IssueHistoryQuery } from "../../../data/documents.ts";

/** Entry of an issue's history. */
export type HistoryEntry = IssueHistoryQuery["issue"]["history"]["nodes"][number];

const PRIORITIES = ["none", "Urgent", "High", "Medium", "Low"];
const EVENTS: Readonly<Record<string, string>> = {
  "issue.created": "created the issue",
  "issue.claimed": "claimed the issue",
  "issue.proofOverridden": "completed the issue without the proof that the team requires",
  "issue.released": "released the issue",
  "issue.leaseExpired": "ended the lease because the holder stopped renewing the lease",
};
const RELATIONS: Readonly<Record<string, string>> = {
  Blocks: "blocks",
  BlockedBy: "blocked by",
  Duplicate: "duplicate of",
  DuplicatedBy: "has duplicate",
  Related: "related to",
  Similar: "similar to",
  Discovered: "found while working on",
  LedTo: "led to",
};

type Named = { name: string } | null;

/** Returns the phrases that describe an entry. The caller puts the actor's name before the phrases. */
export function describeHistoryEntry(entry: HistoryEntry): string[] {
  const words = [
    getOwnProperty(EVENTS, entry.event) ?? [],
    texts(entry),
    links(entry),
    sets(entry),
    ends(entry),
  ].flat();
  return words.length > 0 ? words : ["changed the issue"];
}

function texts({ fromTitle, toTitle, updatedDescription, toPriority, toIdentifier, toTeam }: HistoryEntry): string[] {
  const words: string[] = [];
  if (toTitle) words.push(`changed the title from “${fromTitle}” to “${toTitle}”`);
  if (updatedDescription) words.push("changed the description");
  if (toPriority !== null) words.push(`set the priority to ${PRIORITIES[toPriority] ?? toPriority}`);
  if (toIdentifier) words.push(`moved the issue to ${toTeam?.name ?? "another team"}, as ${toIdentifier}`);
  return words;
}

/** Returns the phrase for a value that was set or cleared; nothing if the value did not change. */
function describeChange<Value>(
  from: Value | null,
  to: Value | null,
  said: [put: (value: Value) => string, take: (value: Value) => string],
) {
  if (to !== null) return [said[0](to)];
  return from === null ? [] : [said[1](from)];
}

const nameOf = ({ number, name }: { number: number; name: string | null }) => name ?? `Cycle ${number}`;

function links(entry: HistoryEntry): string[] {
  const { fromState, toState } = entry;
  return [
    toState ? `${fromState ? `changed the state from ${fromState.name}` : "set the state"} to ${toState.name}` : [],
    describeChange<Named>(entry.fromAssignee, entry.toAssignee, [
      (to) => `set the assignee to ${to?.name}`,
      (from) => `removed the assignee ${from?.name}`,
    ]),
    describeChange<Named>(entry.fromDelegate, entry.toDelegate, [
      (to) => `set the delegate to ${to?.name}`,
      (from) => `removed the delegate ${from?.name}`,
    ]),
    describeChange<Named>(entry.fromProject, entry.toProject, [
      (to) => `set the project to ${to?.name}`,
      (from) => `removed the project ${from?.name}`,
    ]),
    describeChange<Named>(entry.fromProjectMilestone, entry.toProjectMilestone, [
      (to) => `set the milestone to ${to?.name}`,
      (from) => `removed the milestone ${from?.name}`,
    ]),
    describeChange(entry.fromCycle, entry.toCycle, [
      (to) => `set the cycle to ${nameOf(to)}`,
      (from) => `removed the issue from ${nameOf(from)}`,
    ]),
    describeChange(entry.fromParent, entry.toParent, [
      (to) => `set the parent issue to ${to.identifier}`,
      (from) => `removed the parent issue ${from.identifier}`,
    ]),
  ].flat();
}

function sets(entry: HistoryEntry): string[] {
  const named = (labels: readonly { name: string }[] | null) => (labels ?? []).map(({ name }) => name).join(", ");
  const [added, removed] = [named(entry.addedLabels), named(entry.removedLabels)];
  return [
    describeChange(entry.fromEstimate, entry.toEstimate, [
      (to) => `set the estimate to ${to}`,
      () => "removed the estimate",
    ]),
    describeChange(entry.fromDueDate, entry.toDueDate, [
      (to) => `set the due date to ${to}`,
      () => "removed the due date",
    ]),
    added ? `added the label ${added}` : [],
    removed ? `removed the label ${removed}` : [],
    (entry.relationChanges ?? []).map(({ type, identifier }) => {
      const relation = getOwnProperty(RELATIONS, type.replace(/^(add|remove)/, "")) ?? "related to";
      return `${type.startsWith("add") ? "added the relation" : "removed the relation"} “${relation} ${identifier}”`;
    }),
  ].flat();
}

function ends({ archived, trashed }: HistoryEntry): string[] {
  if (trashed !== null) return [trashed ? "moved the issue to the trash" : "restored the issue from the trash"];
  if (archived !== null) return [archived ? "archived the issue" : "restored the issue from the archive"];
  return [];
}
