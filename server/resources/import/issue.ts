import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { addLink, create } from "../../write/change.ts";
import { labelSet } from "../label/label-set.ts";
import { keepVerdict, verdictOfNew } from "../proof/complete.ts";
import {
  type Author,
  type Batch,
  known,
  namesOf,
  type Outcome,
  referred,
  type Team,
  teamNamed,
  within,
} from "./batch.ts";
import type { RowOf } from "./input.ts";
import { checkLabels, labelIds } from "./label.ts";
import { wantedNumber } from "./load.ts";
import { assignee, author, keepNames } from "./people.ts";
import { projectNamed } from "./planning.ts";
import { addState } from "./team.ts";

type Fields = RowOf<"issue">;

/** Imports an issue, unless it is there already. @throws inputError, before anything is written */
export function importIssue(batch: Batch, fields: Fields): Outcome {
  const there = known(batch.issues, batch, fields);
  if (there) return { status: "exists", entityId: there };
  const team = teamNamed(batch, fields.team);
  checkState(team, fields);
  checkLabels(batch, team, fields.labels ?? []);
  const cycleId = cycleOf(batch, team, fields.cycle);
  const verdict = isCompleted(team, fields) ? verdictOfNew(team) : undefined;
  const id = fields.id ?? newId();
  const { number, previousIdentifiers } = numbered(batch, team, fields);
  const labels = [...labelIds(batch, team, fields.labels ?? [])];
  const row = { id, teamId: team.id, number, previousIdentifiers, cycleId, labelSet: labelSet(labels) };
  create(batch.write, "Issue", { ...row, ...plain(fields), ...people(batch, fields), ...dated(batch, team, fields) });
  if (verdict) keepVerdict(batch.write, id, verdict);
  for (const labelId of labels) addLink(batch.write, "issueLabelLink", { issueId: id, labelId });
  keepNames(batch, "Issue", id, fields);
  keepIdentifiers(batch, id, previousIdentifiers);
  for (const name of [...namesOf(batch.source, fields), id]) batch.issues.set(name, id);
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

function people(batch: Batch, fields: Fields) {
  const creator = author(batch, fields.creator);
  const owner = assignee(batch, fields.assignee);
  return {
    creatorId: memberId(creator),
    externalUserCreatorId: outsiderId(creator),
    assigneeId: memberId(owner),
    externalUserAssigneeId: outsiderId(owner),
  };
}

/** The id of an author who is a member. */
const memberId = (one: Author | undefined) => (one && "userId" in one ? one.userId : null);

/** The id of an author who is none. */
const outsiderId = (one: Author | undefined) => (one && "externalUserId" in one ? one.externalUserId : null);

/** The state, the project and the moments. What a closed state needs and the row leaves out is when it last changed. */
function dated(batch: Batch, team: Team, fields: Fields) {
  const state = stateOf(batch, team, fields);
  const projectId = projectNamed(batch, fields.project, team);
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

function checkState(team: Team, { state, stateType }: Fields): void {
  if (!state || stateType || team.states.has(state.toLowerCase())) return;
  const inOrder = [...team.states.values()].sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1));
  const names = inOrder.map(({ name }) => name).join(", ");
  throw inputError(`"${state}" is no state of ${team.key}, which has ${names}; name one of them`, "state");
}

const isCompleted = ({ states }: Team, { state, stateType }: Fields): boolean =>
  state !== undefined && state !== null && (states.get(state.toLowerCase())?.type ?? stateType) === "completed";

function stateOf(batch: Batch, team: Team, { state, stateType }: Fields) {
  const found = state
    ? team.states.get(state.toLowerCase())
    : [...team.states.values()].find(({ id }) => id === team.defaultStateId);
  if (found) return found;
  return addState(batch, team, { name: state ?? "Backlog", type: stateType ?? "backlog" });
}

function cycleOf({ cycles }: Batch, team: Team, number: number | null | undefined): string | null {
  if (number === null || number === undefined) return null;
  const id = cycles.get(within(team.id, number));
  if (!id) throw inputError(`${team.key} has no cycle ${number}; import a row for it first`, "cycle");
  return id;
}

function milestoneOf({ milestones }: Batch, projectId: string | null, id: string | null | undefined): string | null {
  if (!id) return null;
  if (projectId === null || milestones.get(id) !== projectId)
    throw inputError(`the issue's project has no milestone ${id}; import a row for it first`, "milestone");
  return id;
}

/** The number an issue gets: its own where the team has its key and the number is free, else the next one. */
function numbered({ teams, numbers }: Batch, team: Team, { identifier, previousIdentifiers }: Fields) {
  const wanted = wantedNumber(identifier);
  const own = wanted && teams.get(wanted.key) === team && !numbers.has(within(team.id, wanted.number));
  let number = own ? wanted.number : team.issueCounter + 1;
  while (!own && numbers.has(within(team.id, number))) number += 1;
  team.issueCounter = Math.max(team.issueCounter, number);
  numbers.add(within(team.id, number));
  const before = [...(previousIdentifiers ?? []), ...(identifier && !own ? [identifier] : [])];
  return { number, previousIdentifiers: [...new Set(before)] };
}

/** Identifiers resolve for the issue that brought them first. */
function keepIdentifiers({ write, identifiers }: Batch, entityId: string, previous: readonly string[]): void {
  for (const externalId of previous) {
    if (identifiers.has(externalId)) continue;
    identifiers.add(externalId);
    addLink(write, "externalId", { type: "Issue", source: "", externalId, entityId });
  }
}

/** Imports a comment on an issue, unless it is there already. An answer to an answer joins the thread. */
export function importComment(batch: Batch, fields: RowOf<"comment">): Outcome {
  const there = known(batch.comments, batch, fields);
  if (there) return { status: "exists", entityId: there.id };
  const issueId = referred(batch.issues, batch, { field: "issue", what: "issue", ref: fields.issue });
  const parent = fields.parent
    ? referred(batch.comments, batch, { field: "parent", what: "comment", ref: fields.parent })
    : undefined;
  if (parent && parent.issueId !== issueId) {
    throw inputError(`${fields.parent} is a comment on another issue; name one on ${fields.issue}`, "parent");
  }
  const id = fields.id ?? newId();
  const who = author(batch, fields.author);
  const { body, createdAt, updatedAt, editedAt, resolvedAt } = fields;
  const thread = { id, issueId, parentId: parent ? (parent.parentId ?? parent.id) : null };
  const people = { userId: memberId(who), externalUserId: outsiderId(who) };
  const moments = { createdAt, updatedAt: updatedAt ?? createdAt, editedAt, resolvedAt };
  create(batch.write, "Comment", { ...thread, ...people, ...moments, body });
  keepNames(batch, "Comment", id, fields);
  for (const name of [...namesOf(batch.source, fields), id]) batch.comments.set(name, thread);
  return { status: "created", entityId: id };
}
