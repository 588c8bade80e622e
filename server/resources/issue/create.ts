import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { addLink, create, setInternal } from "../../write/change.ts";
import { type Found, references } from "../../write/find.ts";
import { repeatable } from "../../write/idempotency.ts";
import type { Raw, Write } from "../../write/write.ts";
import type { IssueCreate } from "./input.ts";
import { checkTeam, idsOf, issueReferences, LINKS } from "./references.ts";
import { stateStamps } from "./state.ts";

/**
 * Creates an issue with the next number of its team.
 * @throws inputError for a reference that leads nowhere or to another team.
 */
export const issueCreate = repeatable("Issue", async (write: Write, input: IssueCreate) => {
  const found = await references(write, issueReferences(input));
  const team = found.teamId as Found;
  const state = (found.stateId ?? team.defaultIssueState) as Found;
  checkTeam(found, team.id);
  const number = nextNumber(write, team);
  const id = input.id ?? newId();
  create(write, "Issue", {
    id,
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
    ...stamps(write, input, state),
    stateId: state.id,
    createdAt: input.createdAt ?? write.at,
    previousIdentifiers: [],
  });
  for (const labelId of idsOf(found, "labelIds")) addLink(write, "issueLabelLink", { issueId: id, labelId });
  return { id };
});

/** The next number of a team: numbers are never given twice, and those of a failed transaction come again. */
export function nextNumber(write: Write, team: Found): number {
  const number = Number(team.issueCounter) + 1;
  setInternal(write, "Team", team.id, { issueCounter: number });
  return number;
}

function stamps(write: Write, { completedAt }: IssueCreate, state: Found): Raw {
  const entered = stateStamps(write, state);
  if (!completedAt) return entered;
  if (state.type !== "completed") {
    throw inputError(`completedAt goes with a completed state, and ${state.name} is none`, "completedAt");
  }
  return { ...entered, completedAt };
}
