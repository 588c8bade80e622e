import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, type Fenced, fenced, withJson } from "../../options.ts";
import { checkConfirmable, confirmRemoval } from "../../removal.ts";
import { ofIssue, type Worker, worker } from "../../work/caller.ts";
import { fenceFor, guarded } from "../../work/claim.ts";
import { CLOSED } from "../../work/filter.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkFence, forEachIssue, ofIssues } from "../../work/issues.ts";
import { stateOf, type TeamNode } from "../../work/names.ts";

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
It goes to the first started state of its team, and becomes yours unless it is somebody's. To keep others off it: claim.
Example:
  trackway start ENG-12
`;

/** `trackway start`: moves issues to a started state. */
export const startCommand = (): Command =>
  moving("start", "begin issues: in progress, and yours where they are nobody's", START, async (who, id, options) =>
    moved(who, id, started(await where(who, id)), options, "Started"),
  );

function started({ viewer, issue }: Where): object {
  const own = viewer.app ? "delegate" : "assignee";
  return { stateId: stateOf(issue.team, "started"), ...(!issue[own] && { [`${own}Id`]: viewer.id }) };
}

const REOPEN = `
A closed issue goes back to what is still to be done; a deleted or archived one comes back as it was.
Example:
  trackway reopen ENG-12
`;

/** `trackway reopen`: opens what was closed, and restores what was deleted. */
export const reopenCommand = (): Command =>
  moving("reopen", "open issues again that were closed, archived or deleted", REOPEN, reopen);

async function reopen(who: Worker, id: string, options: Fenced) {
  const { issue } = await where(who, id);
  if (issue.archivedAt !== null || issue.trashed) {
    const asked = who.ask<{ issueUnarchive: { entity: RowNode } }>(ISSUE.restore, { id: issue.id });
    return outcome("Restored", (await ofIssue(id, asked)).issueUnarchive.entity);
  }
  if (!CLOSED.includes(issue.state.type))
    throw new Failure(`${id} is open.`, { exit: EXIT.conflict, cure: `trackway show ${id}` });
  const states = issue.team.states.nodes;
  const type = states.some((state) => state.type === "unstarted") ? "unstarted" : "backlog";
  return moved(who, id, { stateId: stateOf(issue.team, type) }, options, "Reopened");
}

const moving = (
  name: string,
  description: string,
  after: string,
  work: (who: Worker, id: string, options: Fenced) => ReturnType<typeof moved>,
): Command =>
  withJson(fenced(ofIssues(new Command(name).description(description))))
    .addHelpText("after", after)
    .action(async (ids: string[], options: Fenced) => {
      checkFence(ids, options);
      const who = await worker();
      await forEachIssue(ids, options.json, (id) => work(who, id, options));
    });

const where = (who: Worker, id: string): Promise<Where> => ofIssue(id, who.ask<Where>(ISSUE.where, { id }));

async function moved(who: Worker, id: string, changes: object, options: Fenced, verb: string) {
  const fence = await fenceFor(who, id, options);
  const asked = who.ask<{ issueUpdate: { issue: RowNode } }>(ISSUE.update, { id, input: { ...changes, fence } });
  return outcome(verb, (await guarded(id, fence, asked)).issueUpdate.issue);
}

const outcome = (verb: string, issue: RowNode) => ({ row: issueRow(issue), line: `${verb} ${issueLine(issue)}` });

const AFTER = `
A deleted issue is in the trash for 30 days: until then reopen brings it back.
Example:
  trackway delete ENG-12 --yes
`;

/** `trackway delete`: moves issues to the trash. */
export const deleteCommand = (): Command =>
  withJson(ofIssues(new Command("delete").description("move issues to the trash")))
    .option("-y, --yes", "do not ask")
    .addHelpText("after", AFTER)
    .action(run);

async function run(ids: string[], { json, yes }: Answering & { yes?: true }): Promise<void> {
  checkConfirmable(yes);
  const who = await worker();
  await confirmRemoval({ count: ids.length, noun: "issue", first: ids[0] ?? "", last: ids.at(-1) ?? "" }, yes);
  await forEachIssue(ids, json, async (id) => {
    const asked = who.ask<{ issueDelete: { entity: RowNode } }>(ISSUE.delete, { id });
    const { entity } = (await ofIssue(id, asked)).issueDelete;
    await who.fences.forget(id);
    return { row: issueRow(entity), line: `Deleted ${issueLine(entity)}` };
  });
}
