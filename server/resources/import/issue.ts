import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow, insertLinkRow } from "../../write/change.ts";
import { labelSet } from "../label/label-set.ts";
import { judgeNewIssue, storeVerdict } from "../proof/complete.ts";
import {
  type Author,
  findExisting,
  findReferenced,
  getTeamByKey,
  type ImportBatch,
  type ImportOutcome,
  type ImportTeam,
  listRowIdentifiers,
  scopedKey,
} from "./batch.ts";
import type { ImportRow } from "./input.ts";
import { findOrCreateLabelIds, rejectLabelGroups } from "./label.ts";
import { parseIdentifier } from "./load.ts";
import { findOrCreateAssignee, findOrCreateAuthor, storeExternalIds } from "./people.ts";
import { findOrCreateProjectId } from "./planning.ts";
import { addState } from "./team.ts";

type Fields = ImportRow<"issue">;

/** Imports an issue, unless the issue already exists. @throws inputError before anything is written */
export function importIssue(batch: ImportBatch, fields: Fields): ImportOutcome {
  const there = findExisting(batch.issues, batch, fields);
  if (there) return { status: "exists", entityId: there };
  const team = getTeamByKey(batch, fields.team);
  checkState(team, fields);
  rejectLabelGroups(batch, team, fields.labels ?? []);
  const cycleId = cycleOf(batch, team, fields.cycle);
  const verdict = isCompleted(team, fields) ? judgeNewIssue(team) : undefined;
  const id = fields.id ?? newId();
  const { number, previousIdentifiers } = numbered(batch, team, fields);
  const labels = [...findOrCreateLabelIds(batch, team, fields.labels ?? [])];
  const row = { id, teamId: team.id, number, previousIdentifiers, cycleId, labelSet: labelSet(labels) };
  createRow(batch.write, "Issue", {
    ...row,
    ...plain(fields),
    ...people(batch, fields),
    ...dated(batch, team, fields),
  });
  if (verdict) storeVerdict(batch.write, id, verdict);
  for (const labelId of labels) insertLinkRow(batch.write, "issueLabelLink", { issueId: id, labelId });
  storeExternalIds(batch, "Issue", id, fields);
  keepIdentifiers(batch, id, previousIdentifiers);
  for (const name of [...listRowIdentifiers(batch.source, fields), id]) batch.issues.set(name, id);
  team.used = true;
  return { status: "created", entityId: id, identifier: `${team.key}-${number}` };
}

const plain = (fields: Fields) => ({
  title: fields.title,
  description: fields.description ?? null,
  priority: fields.priority ?? 0,
  estimate: fields.estimate ?? null,
  sortOrder: fields.sortOrder ?? 0,
  dueDate: fields.dueDate ?? null,
  openBlockers: 0,
  unblocks: 0,
  leased: false,
  fence: 0,
});

function people(batch: ImportBatch, fields: Fields) {
  const creator = findOrCreateAuthor(batch, fields.creator);
  const owner = findOrCreateAssignee(batch, fields.assignee);
  return {
    creatorId: memberId(creator),
    externalUserCreatorId: outsiderId(creator),
    assigneeId: memberId(owner),
    externalUserAssigneeId: outsiderId(owner),
  };
}

/** Returns the id of an author who is a member. */
const memberId = (one: Author | undefined) => (one && "userId" in one ? one.userId : null);

/** Returns the id of an author who is an external user. */
const outsiderId = (one: Author | undefined) => (one && "externalUserId" in one ? one.externalUserId : null);

/**
 * Returns the state, the project and the timestamps of an imported issue. If a closed state lacks a timestamp, the
 * function uses the time of the last change.
 */
function dated(batch: ImportBatch, team: ImportTeam, fields: Fields) {
  const state = stateOf(batch, team, fields);
  const projectId = findOrCreateProjectId(batch, fields.project, team);
  const updatedAt = fields.updatedAt ?? fields.createdAt;
  const canceled = state.type === "canceled" || state.type === "duplicate";
  return {
    stateId: state.id,
    stateType: state.type,
    projectId,
    projectMilestoneId: milestoneOf(batch, projectId, fields.milestone),
    createdAt: fields.createdAt,
    updatedAt,
    startedAt: fields.startedAt ?? null,
    completedAt: fields.completedAt ?? (state.type === "completed" ? updatedAt : null),
    canceledAt: fields.canceledAt ?? (canceled ? updatedAt : null),
    archivedAt: fields.archivedAt ?? null,
  };
}

function checkState(team: ImportTeam, { state, stateType }: Fields): void {
  if (!state || stateType || team.states.has(state)) return;
  const inOrder = [...team.states.values()].sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
  const names = inOrder.map(({ name }) => name).join(", ");
  throw inputError(`${team.key} has no state "${state}"; use one of ${names}`, "state");
}

const isCompleted = ({ states }: ImportTeam, { state, stateType }: Fields): boolean =>
  state !== undefined && state !== null && (states.get(state)?.type ?? stateType) === "completed";

function stateOf(batch: ImportBatch, team: ImportTeam, { state, stateType }: Fields) {
  const found = state ? team.states.get(state) : [...team.states.values()].find(({ id }) => id === team.defaultStateId);
  if (found) return found;
  return addState(batch, team, { name: state ?? "Backlog", type: stateType ?? "backlog" });
}

function cycleOf({ cycles }: ImportBatch, team: ImportTeam, number: number | null | undefined): string | null {
  if (number === null || number === undefined) return null;
  const id = cycles.get(scopedKey(team.id, number));
  if (!id) throw inputError(`${team.key} has no cycle ${number}; import a row for it first`, "cycle");
  return id;
}

function milestoneOf(
  { milestones }: ImportBatch,
  projectId: string | null,
  id: string | null | undefined,
): string | null {
  if (!id) return null;
  if (projectId === null || milestones.get(id) !== projectId)
    throw inputError(`the issue's project has no milestone ${id}; import a row for it first`, "milestone");
  return id;
}

/**
 * Returns the number of an issue: the original number if the team has the same key and the number is free, else the
 * next number.
 */
function numbered({ teams, numbers }: ImportBatch, team: ImportTeam, { identifier, previousIdentifiers }: Fields) {
  const wanted = parseIdentifier(identifier);
  const own = wanted && teams.get(wanted.key) === team && !numbers.has(scopedKey(team.id, wanted.number));
  let number = own ? wanted.number : team.issueCounter + 1;
  while (!own && numbers.has(scopedKey(team.id, number))) number += 1;
  team.issueCounter = Math.max(team.issueCounter, number);
  numbers.add(scopedKey(team.id, number));
  const before = [...(previousIdentifiers ?? []), ...(identifier && !own ? [identifier] : [])];
  return { number, previousIdentifiers: [...new Set(before)] };
}

/** Stores previous identifiers. An identifier belongs to the issue that was imported first. */
function keepIdentifiers({ write, identifiers }: ImportBatch, entityId: string, previous: readonly string[]): void {
  for (const externalId of previous) {
    if (identifiers.has(externalId)) continue;
    identifiers.add(externalId);
    insertLinkRow(write, "externalId", { type: "Issue", source: "", externalId, entityId });
  }
}

/** Imports a comment on an issue, unless it already exists. A reply to a reply joins the thread. */
export function importComment(batch: ImportBatch, fields: ImportRow<"comment">): ImportOutcome {
  const there = findExisting(batch.comments, batch, fields);
  if (there) return { status: "exists", entityId: there.id };
  const issueId = findReferenced(batch.issues, batch, { field: "issue", what: "issue", ref: fields.issue });
  const parent = fields.parent
    ? findReferenced(batch.comments, batch, { field: "parent", what: "comment", ref: fields.parent })
    : undefined;
  if (parent && parent.issueId !== issueId) {
    throw inputError(`${fields.parent} is a comment on another issue; name one on ${fields.issue}`, "parent");
  }
  const id = fields.id ?? newId();
  const who = findOrCreateAuthor(batch, fields.author);
  const { body, createdAt, updatedAt, editedAt, resolvedAt } = fields;
  const thread = { id, issueId, parentId: parent ? (parent.parentId ?? parent.id) : null };
  const people = { userId: memberId(who), externalUserId: outsiderId(who) };
  const moments = { createdAt, updatedAt: updatedAt ?? createdAt, editedAt, resolvedAt };
  createRow(batch.write, "Comment", { ...thread, ...people, ...moments, body });
  storeExternalIds(batch, "Comment", id, fields);
  for (const name of [...listRowIdentifiers(batch.source, fields), id]) batch.comments.set(name, thread);
  return { status: "created", entityId: id };
}
