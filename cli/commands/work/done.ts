import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { folderSettings } from "../../files/settings.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { oneLine } from "../../output/safe.ts";
import { textOrStdin } from "../../stdin.ts";
import { type Worker, worker } from "../../work/caller.ts";
import { fenceToEnd, guarded } from "../../work/fence.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkFence, forEachIssue, ofIssues } from "../../work/issues.ts";
import { findNames, stateOf } from "../../work/names.ts";
import { signedIn } from "../../work/signed-in.ts";

type Options = Fenced & { message?: string; state?: string; override?: true };

/** The verdict of the record, where the team demands a proof. */
interface Proof {
  verdict: string;
  reason: string;
}

const AFTER = `
Refused with exit code 4 when the claim is lost, or when somebody else holds the issue.
Examples:
  trackway done ENG-12 --message "Fixed the off-by-one in the parser; a test holds it."
  trackway done ENG-12 --message - < summary.md
  trackway done ENG-12 ENG-9
`;

/** `trackway done`: completes issues. */
export const doneCommand = (): Command => completing("done", "close issues as completed, saying what was done");

/** `trackway close`: the same, as people call it. */
export const closeCommand = (): Command => completing("close", "the same as done, as other trackers call it");

const completing = (name: string, description: string): Command =>
  withJson(fenced(ofIssues(new Command(name).description(description))))
    .option("-m, --message <text>", "what was done, kept as a comment; - reads standard input")
    .option("--state <name>", "a completed state of the team; by default its first")
    .option("--override", "complete it though its team demands a proof that is missing; a person gives their password")
    .addHelpText("after", AFTER.replaceAll("trackway done", `trackway ${name}`))
    .action(run);

async function run(ids: string[], options: Options): Promise<void> {
  checkFence(ids, options);
  const who = await worker();
  const work = (by: Worker) => complete(by, ids, options);
  await (options.override ? signedIn(who, work) : work(who));
}

async function complete(who: Worker, ids: string[], { message, state, override, ...options }: Options): Promise<void> {
  const comment = message === undefined ? undefined : await textOrStdin(message);
  const { proofCommands } = await folderSettings(process.cwd(), who.caller.url);
  await forEachIssue(ids, options.json, async (id) => {
    const stateId = state === undefined ? undefined : stateOf((await findNames(who, { issue: id })).team, state);
    const fence = await fenceToEnd(who, id, options);
    const asked = who.ask<{ issueComplete: { issue: RowNode; proof: Proof | null } }>(ISSUE.complete, {
      ...{ id, fence, comment, stateId, proofCommands, overrideProof: override },
    });
    const { issue, proof } = (await guarded(id, fence, asked)).issueComplete;
    await who.fences.forget(id);
    const verdict = proof ? ` (${proof.verdict}: ${oneLine(proof.reason, 400)})` : "";
    return { row: { ...issueRow(issue), proof }, line: `Done: ${issueLine(issue)}${verdict}` };
  });
}
