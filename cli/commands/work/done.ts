import { Command } from "commander";
import { logIn, logOut } from "../../api/control.ts";
import { ISSUE } from "../../api/documents.ts";
import { graphql, whoIs } from "../../api/graphql.ts";
import { folderSettings } from "../../files/settings.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { oneLine } from "../../output/print.ts";
import { askSecret, textOrStdin } from "../../prompt.ts";
import { ofIssue, type Worker, worker } from "../../work/caller.ts";
import { type ClaimOptions, claim, claiming, fenceToEnd, guarded, tellRenewed } from "../../work/claim.ts";
import { type DetailNode, issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkFence, forEachIssue, ofIssues, ofOneIssue } from "../../work/issues.ts";
import { findNames, stateOf } from "../../work/names.ts";

/**
 * Does some work by a sign-in of the person, who gives the password for it: whoever has the key alone may be an agent.
 * @throws Failure where nobody is at a terminal to give it
 */
async function signedIn<T>(who: Worker, work: (who: Worker) => Promise<T>): Promise<T> {
  const { url } = who.caller;
  const { viewer, organization } = await whoIs(who.caller);
  const password = await askSecret(`Password of ${viewer.email}?`, "have a person run it in a terminal");
  const tokens = await logIn(url, { email: viewer.email, password, organization: organization.urlKey });
  const caller = { url, apiKey: `Bearer ${tokens.accessToken}` };
  try {
    return await work({ ...who, ask: (document, variables) => graphql(caller, document, variables) });
  } finally {
    await logOut(url, tokens.refreshToken);
  }
}

const CLAIM = `
The fence that it tells is remembered on this machine for done, release, update and comment. When the time is over and
nothing renewed the claim, the issue goes back, and what you write with that fence is refused with exit code 4.
Examples:
  trackway claim ENG-12
  trackway claim ENG-12 --renew
`;

/** `trackway claim`: takes an issue to work on. */
export const claimCommand = (): Command =>
  withJson(claiming(ofOneIssue(new Command("claim").description("take an issue to work on, so that nobody else does"))))
    .option("--renew", "let a claim that you have last for its time anew")
    .addHelpText("after", CLAIM)
    .action(async (id: string, options: ClaimOptions & { renew?: true }) => {
      const who = await worker();
      await (options.renew ? renew(who, id, options) : ofIssue(id, claim(who, { id }, options)));
    });

async function renew(who: Worker, id: string, options: ClaimOptions): Promise<void> {
  const fence = await fenceToEnd(who, id, options.session ? { session: options.session } : {});
  const variables = { id, fence, ttlSeconds: options.ttl };
  const asked = who.ask<{ issueRenew: { issue: DetailNode } }>(ISSUE.renew, variables);
  await tellRenewed(who, (await guarded(id, fence, asked)).issueRenew.issue, options);
}

const RELEASE = `
The issue goes back to the state it had, and is ready for others. --force ends what somebody else holds; the log says who did.
Example:
  trackway release ENG-12 --message "Needs access to the production logs."
`;

/** `trackway release`: gives issues back unfinished. */
export const releaseCommand = (): Command =>
  withJson(fenced(ofIssues(new Command("release").description("give claimed issues back unfinished"))))
    .option("-m, --message <text>", "why, kept as a comment; - reads standard input")
    .addHelpText("after", RELEASE)
    .action(release);

async function release(ids: string[], { message, ...options }: Fenced & { message?: string }): Promise<void> {
  checkFence(ids, options);
  const who = await worker();
  const comment = message === undefined ? undefined : await textOrStdin(message);
  await forEachIssue(ids, options.json, async (id) => {
    const fence = await fenceToEnd(who, id, options);
    const asked = who.ask<{ issueRelease: { issue: RowNode } }>(ISSUE.release, { id, fence, comment });
    const { issue } = (await guarded(id, fence, asked)).issueRelease;
    await who.fences.forget(id);
    return { row: issueRow(issue), line: `Released ${issueLine(issue)}` };
  });
}

type DoneOptions = Fenced & { message?: string; state?: string; override?: true };

/** The verdict of the record, where the team demands a proof. */
interface Proof {
  verdict: string;
  reason: string;
}

const DONE = `
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
    .addHelpText("after", DONE.replaceAll("trackway done", `trackway ${name}`))
    .action(done);

async function done(ids: string[], options: DoneOptions): Promise<void> {
  checkFence(ids, options);
  const who = await worker();
  const work = (by: Worker) => complete(by, ids, options);
  await (options.override ? signedIn(who, work) : work(who));
}

async function complete(
  who: Worker,
  ids: string[],
  { message, state, override, ...options }: DoneOptions,
): Promise<void> {
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
