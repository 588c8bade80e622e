import { Command } from "commander";
import { findWorkingFolder } from "../../../system/places.ts";
import { logOut, requestLoginTokens } from "../../api/control.ts";
import { ISSUE } from "../../api/documents.ts";
import { readViewer, sendGraphqlRequest } from "../../api/graphql.ts";
import { readFolderSettings } from "../../files/settings.ts";
import { addFenceOptions, addJsonOption, type FenceOptions } from "../../options.ts";
import { toOneLine, warnOnFailure } from "../../output/print.ts";
import { askSecret, readTextArgument } from "../../prompt.ts";
import { addIssueToNotFoundError, type CommandContext, createCommandContext } from "../../work/caller.ts";
import {
  addClaimOptions,
  addFixToFenceConflict,
  type ClaimOptions,
  claimAndPrintIssue,
  forgetFence,
  printRenewedClaim,
  resolveFenceToEndWork,
} from "../../work/claim.ts";
import { formatIssue, type IssueDetailNode, type IssueRowNode, toIssueRow } from "../../work/issue.ts";
import { addIssueArgument, addIssuesArgument, assertFenceForSingleIssue, forEachIssue } from "../../work/issues.ts";
import { findEntitiesByName, findTeamStateId } from "../../work/names.ts";

/**
 * Runs `work` with a new login, for which the user must type the password. A personal key does not prove that a human
 * user runs the command, because an agent may use the key.
 * @throws Failure if there is no terminal in which the user can type the password
 */
async function signedIn<T>(who: CommandContext, work: (who: CommandContext) => Promise<T>): Promise<T> {
  const { url } = who.caller;
  const { viewer, organization } = await readViewer(who.caller);
  const password = await askSecret(`Password of ${viewer.email}?`, "ask a user to run the command in a terminal");
  const tokens = await requestLoginTokens(url, { email: viewer.email, password, organization: organization.urlKey });
  const caller = { url, apiKey: `Bearer ${tokens.accessToken}` };
  try {
    return await work({ ...who, ask: (document, variables) => sendGraphqlRequest(caller, document, variables) });
  } finally {
    await warnOnFailure(
      logOut(url, tokens.refreshToken),
      "This command could not revoke its temporary login. The login expires automatically.",
    );
  }
}

const CLAIM = `
This machine stores the fence of the claim for done, release, update and comment. If nothing renews the claim before it expires,
the server releases the issue, and commands that use the old fence fail with exit code 4.
Examples:
  trackway claim ENG-12
  trackway claim ENG-12 --renew
`;

/** `trackway claim`: claims an issue, or renews a claim. */
export const createClaimCommand = (): Command =>
  addJsonOption(
    addClaimOptions(
      addIssueArgument(new Command("claim").description("claim an issue so that nobody else works on it")),
    ),
  )
    .option("--renew", "renew your claim for its full time")
    .addHelpText("after", CLAIM)
    .action(async (id: string, options: ClaimOptions & { renew?: true }) => {
      const who = await createCommandContext();
      await (options.renew
        ? renew(who, id, options)
        : addIssueToNotFoundError(id, claimAndPrintIssue(who, { id }, options)));
    });

async function renew(who: CommandContext, id: string, options: ClaimOptions): Promise<void> {
  const fence = await resolveFenceToEndWork(who, id, options.session ? { session: options.session } : {});
  const variables = { id, fence, ttlSeconds: options.ttl };
  const asked = who.ask<{ issueRenew: { issue: IssueDetailNode } }>(ISSUE.renew, variables);
  await printRenewedClaim(who, (await addFixToFenceConflict(id, fence, asked)).issueRenew.issue, options);
}

const RELEASE = `
The issue returns to its earlier state and is ready for others. --force ends the claim of another holder, and the history
shows who did so.
Example:
  trackway release ENG-12 --message "The fix needs access to the production logs."
`;

/** `trackway release`: releases claimed issues that are not finished. */
export const createReleaseCommand = (): Command =>
  addJsonOption(addFenceOptions(addIssuesArgument(new Command("release").description("release claimed issues"))))
    .option("-m, --message <text>", "reason, stored as a comment; - reads standard input")
    .addHelpText("after", RELEASE)
    .action(release);

async function release(ids: string[], { message, ...options }: FenceOptions & { message?: string }): Promise<void> {
  assertFenceForSingleIssue(ids, options);
  const who = await createCommandContext();
  const comment = message === undefined ? undefined : await readTextArgument(message);
  await forEachIssue(ids, options.json, async (id) => {
    const fence = await resolveFenceToEndWork(who, id, options);
    const asked = who.ask<{ issueRelease: { issue: IssueRowNode } }>(ISSUE.release, { id, fence, comment });
    const { issue } = (await addFixToFenceConflict(id, fence, asked)).issueRelease;
    await forgetFence(who, id);
    return { row: toIssueRow(issue), line: `Released ${formatIssue(issue)}` };
  });
}

type DoneOptions = FenceOptions & { message?: string; state?: string; override?: true };

/**
 * Result of checking the recorded sessions for proof that the issue is done. Exists only if the team or .trackway.json
 * asks for proof.
 */
interface Proof {
  verdict: string;
  reason: string;
}

const DONE = `
Fails with exit code 4 when your claim has expired, or when somebody else has claimed the issue.
Examples:
  trackway done ENG-12 --message "Fixed the off-by-one error in the parser, and added a test."
  trackway done ENG-12 --message - < summary.md
  trackway done ENG-12 ENG-9
`;

export const createDoneCommand = (): Command =>
  completing("done", "close issues as completed, with a comment on what was done");

/** `trackway close`: does the same as `trackway done`. Other trackers use the name `close`. */
export const createCloseCommand = (): Command => completing("close", "same as done, the name in other trackers");

const completing = (name: string, description: string): Command =>
  addJsonOption(addFenceOptions(addIssuesArgument(new Command(name).description(description))))
    .option("-m, --message <text>", "what was done, stored as a comment; - reads standard input")
    .option("--state <name>", "completed state of the team; default: the first completed state")
    .option(
      "--override",
      "complete the issue although proof that the team requires is missing; asks a user for the password",
    )
    .addHelpText("after", DONE.replaceAll("trackway done", `trackway ${name}`))
    .action(completeIssues);

async function completeIssues(ids: string[], options: DoneOptions): Promise<void> {
  assertFenceForSingleIssue(ids, options);
  const who = await createCommandContext();
  const work = (by: CommandContext) => complete(by, ids, options);
  await (options.override ? signedIn(who, work) : work(who));
}

async function complete(
  who: CommandContext,
  ids: string[],
  { message, state, override, ...options }: DoneOptions,
): Promise<void> {
  const comment = message === undefined ? undefined : await readTextArgument(message);
  const { proofCommands } = await readFolderSettings(findWorkingFolder(), who.caller.url);
  await forEachIssue(ids, options.json, async (id) => {
    const stateId =
      state === undefined ? undefined : findTeamStateId((await findEntitiesByName(who, { issue: id })).team, state);
    const fence = await resolveFenceToEndWork(who, id, options);
    const asked = who.ask<{ issueComplete: { issue: IssueRowNode; proof: Proof | null } }>(ISSUE.complete, {
      ...{ id, fence, comment, stateId, proofCommands, overrideProof: override },
    });
    const { issue, proof } = (await addFixToFenceConflict(id, fence, asked)).issueComplete;
    await forgetFence(who, id);
    const verdict = proof ? ` (${proof.verdict}: ${toOneLine(proof.reason, 400)})` : "";
    return { row: { ...toIssueRow(issue), proof }, line: `Done: ${formatIssue(issue)}${verdict}` };
  });
}
