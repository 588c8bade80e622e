import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addFenceOptions, addJsonOption, type FenceOptions, type OutputOptions } from "../../options.ts";
import { assertConfirmationPossible, confirmRemoval } from "../../removal.ts";
import { addIssueToNotFoundError, type CommandContext, createCommandContext } from "../../work/caller.ts";
import { addFixToFenceConflict, resolveFence } from "../../work/claim.ts";
import { CLOSED_STATE_TYPES } from "../../work/filter.ts";
import { formatIssue, type IssueRowNode, toIssueRow } from "../../work/issue.ts";
import { addIssuesArgument, assertFenceForSingleIssue, forEachIssue } from "../../work/issues.ts";
import { findTeamStateId, type TeamNode } from "../../work/names.ts";

interface Where {
  viewer: { id: string; app: boolean };
  issue: {
    id: string;
    archivedAt: string | null;
    trashed: boolean | null;
    state: { type: string };
    assignee: object | null;
    delegate: object | null;
    team: TeamNode;
  };
}

const START = `
Moves the issue to the first started state of its team, and assigns the issue to you if nobody is assigned. To keep others from
working on the issue, use claim.
Example:
  trackway start ENG-12
`;

export const createStartCommand = (): Command =>
  moving(
    "start",
    "start issues: move them to in progress, and assign unassigned issues to you",
    START,
    async (who, id, options) => moveIssue(who, id, started(await where(who, id)), options, "Started"),
  );

function started({ viewer, issue }: Where): object {
  const own = viewer.app ? "delegate" : "assignee";
  return { stateId: findTeamStateId(issue.team, "started"), ...(!issue[own] && { [`${own}Id`]: viewer.id }) };
}

const REOPEN = `
Moves a closed issue back to an open state, and restores a deleted or archived issue.
Example:
  trackway reopen ENG-12
`;

/** `trackway reopen`: reopens closed issues, and restores deleted issues. */
export const createReopenCommand = (): Command =>
  moving("reopen", "reopen closed issues, and restore archived or deleted issues", REOPEN, reopen);

async function reopen(who: CommandContext, id: string, options: FenceOptions) {
  const { issue } = await where(who, id);
  if (issue.archivedAt !== null || issue.trashed) {
    const asked = who.ask<{ issueUnarchive: { entity: IssueRowNode } }>(ISSUE.restore, { id: issue.id });
    return outcome("Restored", (await addIssueToNotFoundError(id, asked)).issueUnarchive.entity);
  }
  if (!CLOSED_STATE_TYPES.includes(issue.state.type))
    throw new CommandFailure(`${id} is already open.`, { exit: EXIT_CODES.conflict, cure: `trackway show ${id}` });
  const states = issue.team.states.nodes;
  const type = states.some((state) => state.type === "unstarted") ? "unstarted" : "backlog";
  return moveIssue(who, id, { stateId: findTeamStateId(issue.team, type) }, options, "Reopened");
}

const moving = (
  name: string,
  description: string,
  after: string,
  work: (who: CommandContext, id: string, options: FenceOptions) => ReturnType<typeof moveIssue>,
): Command =>
  addJsonOption(addFenceOptions(addIssuesArgument(new Command(name).description(description))))
    .addHelpText("after", after)
    .action(async (ids: string[], options: FenceOptions) => {
      assertFenceForSingleIssue(ids, options);
      const who = await createCommandContext();
      await forEachIssue(ids, options.json, (id) => work(who, id, options));
    });

const where = (who: CommandContext, id: string): Promise<Where> =>
  addIssueToNotFoundError(id, who.ask<Where>(ISSUE.where, { id }));

async function moveIssue(who: CommandContext, id: string, changes: object, options: FenceOptions, verb: string) {
  const fence = await resolveFence(who, id, options);
  const asked = who.ask<{ issueUpdate: { issue: IssueRowNode } }>(ISSUE.update, { id, input: { ...changes, fence } });
  return outcome(verb, (await addFixToFenceConflict(id, fence, asked)).issueUpdate.issue);
}

const outcome = (verb: string, issue: IssueRowNode) => ({
  row: toIssueRow(issue),
  line: `${verb} ${formatIssue(issue)}`,
});

const AFTER = `
A deleted issue stays in the trash for 30 days. Until then, reopen restores the issue.
Example:
  trackway delete ENG-12 --yes
`;

export const createDeleteCommand = (): Command =>
  addJsonOption(addIssuesArgument(new Command("delete").description("move issues to the trash")))
    .option("-y, --yes", "do not ask")
    .addHelpText("after", AFTER)
    .action(run);

async function run(ids: string[], { json, yes }: OutputOptions & { yes?: true }): Promise<void> {
  assertConfirmationPossible(yes);
  const who = await createCommandContext();
  await confirmRemoval({ count: ids.length, noun: "issue", first: ids[0] ?? "", last: ids.at(-1) ?? "" }, yes);
  await forEachIssue(ids, json, async (id) => {
    const asked = who.ask<{ issueDelete: { entity: IssueRowNode } }>(ISSUE.delete, { id });
    const { entity } = (await addIssueToNotFoundError(id, asked)).issueDelete;
    await who.fences.forget(id);
    return { row: toIssueRow(entity), line: `Deleted ${formatIssue(entity)}` };
  });
}
