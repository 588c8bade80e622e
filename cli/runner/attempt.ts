import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isUuid } from "../../formats/uuid.ts";
import { isSystemError } from "../../system/places.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { printToStderr, toOneLine } from "../output/print.ts";
import type { CommandContext } from "../work/caller.ts";
import { type AgentProcess, type HeadlessAgent, startAgent } from "./process.ts";
import { buildPrompt, type IssueToRun, listProofCommands, RUN_DOCUMENTS } from "./prompt.ts";
import {
  addWorktree,
  type FinalWorktreeState,
  lockWorktreeForAgent,
  type Repository,
  removeWorktree,
  type Worktree,
} from "./worktree.ts";

/** Settings of a run, for all of its attempts. */
export interface RunSettings {
  who: CommandContext;
  repository: Repository;
  agent: HeadlessAgent;
  /** Returns the arguments of the agent's command for a session. */
  args(session: string): string[];
  /** Commands of the repository that must pass, in addition to those of the team. */
  proofCommands: readonly string[];
  /** Minutes after which the run stops an agent. */
  minutes: number;
  /** Free bytes of the disk below which the run stops its agents. */
  leastFree: number;
  /** Aborted to stop every attempt. */
  stopping: AbortSignal;
}

/** Result of an attempt. */
export type AttemptOutcome = "finished" | "released" | "lost";

const POLL_MS = 3_000;
/**
 * Maximum number of attempts to complete an issue, and milliseconds between two attempts. Completion requires proof
 * from the recorded events, and the last events may arrive after the agent has ended.
 */
const [TRIES, AGAIN_MS] = [5, 2_000];

/**
 * Works on a claimed issue: creates a worktree, runs the agent in it, and completes the issue or releases the claim. In
 * every case, the worktree is removed and the branch contains all changes.
 */
export async function workOnIssue(settings: RunSettings, issue: IssueToRun, session: string): Promise<AttemptOutcome> {
  try {
    const { fault, sessionId, lastOutput, ...left } = await worked(settings, issue, session);
    const lacks = left.isDirty
      ? "The agent left uncommitted changes."
      : left.commit
        ? undefined
        : "The agent committed nothing.";
    const why = fault ?? lacks;
    if (why === undefined) return await finish(settings, issue, left.commit, sessionId);
    printToStderr(`${issue.identifier} output of ${settings.agent.title} ended with: ${toOneLine(lastOutput)}`);
    return await release(settings, issue, why, left.commit);
  } catch (error) {
    // After an error of the disk, a folder or git, the runner releases the claim, so that other agents can claim the issue.
    if (!(error instanceof CommandFailure || isSystemError(error))) throw error;
    return release(settings, issue, `The agent could not work on the issue: ${error.message}`);
  }
}

/**
 * The result of running an agent. `fault` is a sentence about what went wrong, or undefined. `sessionId` identifies the
 * recorded session, by the id that was given to the agent or by the agent's own id; undefined if unknown.
 */
interface Ended {
  fault: string | undefined;
  sessionId: string | undefined;
  lastOutput: string;
}

async function worked(settings: RunSettings, issue: IssueToRun, session: string): Promise<Ended & FinalWorktreeState> {
  const tree = await addWorktree(settings.repository, issue);
  const end = () => removeWorktree(settings.repository, tree, `${issue.identifier}: unfinished work`);
  const ended = await runAgent(settings, issue, tree, session).catch(async (error) => {
    await end();
    throw error;
  });
  return { ...ended, ...(await end()) };
}

async function runAgent(settings: RunSettings, issue: IssueToRun, tree: Worktree, session: string): Promise<Ended> {
  const { agent, args, proofCommands, repository, who } = settings;
  const given = agent.session ? undefined : session;
  // OpenCode works in the folder of PWD, even if it was started in another folder.
  const env = { ...process.env, PWD: tree.path, ...(given && { TRACKWAY_SESSION: given }) };
  const prompt = buildPrompt(issue, proofCommands);
  const running = await startAgent(agent, args(session), { cwd: tree.path, env, prompt });
  try {
    await lockWorktreeForAgent(repository, tree, running.id);
    const fault = (await watch(settings, issue, running)) ?? (await running.ended);
    return { fault, sessionId: given ?? running.session(), lastOutput: running.lastOutput() };
  } finally {
    await running.stop();
    await renew(who, issue, running).catch(() => {});
  }
}

/**
 * Waits until the agent ends or must be stopped. Returns undefined if the agent ended by itself, and otherwise the
 * reason for stopping the agent. An unreachable server is not a reason to stop the agent.
 */
async function watch(settings: RunSettings, issue: IssueToRun, running: AgentProcess): Promise<string | undefined> {
  const { who, stopping, minutes, leastFree, agent, repository } = settings;
  const deadline = performance.now() + minutes * 60_000;
  const ended = running.ended.then(() => true);
  for (;;) {
    const waited = sleep(POLL_MS, false, { signal: stopping, ref: false }).catch(() => false);
    if (await Promise.race([ended, waited])) return undefined;
    if (stopping.aborted) return "The run was stopped.";
    if (performance.now() > deadline) return `${agent.title} was stopped after ${minutes} minutes.`;
    const { bavail, bsize } = await statfs(repository.root);
    if (bavail * bsize < leastFree) return "The disk is almost full.";
    const refusal = await renew(who, issue, running).catch((error) => error);
    if (isConflict(refusal) && !["completed", undefined].includes(await stateOf(who, issue)))
      return `The claim ended: ${refusal.message}.`;
  }
}

/** Renews a claim, and sets its session as soon as the session is known. */
const renew = (who: CommandContext, { id, lease }: IssueToRun, running: AgentProcess): Promise<unknown> =>
  who.ask(RUN_DOCUMENTS.renew, { id, fence: lease?.fence, sessionId: running.session() });

const isConflict = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.exit === EXIT_CODES.conflict;

/**
 * Reads the current type of an issue's state, because the agent itself may have completed the issue. Returns undefined
 * while the server is unreachable.
 */
const stateOf = (who: CommandContext, { id }: IssueToRun): Promise<string | undefined> =>
  who.ask<{ issue: { state: { type: string } } }>(RUN_DOCUMENTS.state, { id }).then(
    ({ issue }) => issue.state.type,
    () => undefined,
  );

/**
 * Completes an issue. If the server still refuses the completion after all attempts, for example because proof is
 * missing, releases the issue.
 */
async function finish(
  settings: RunSettings,
  issue: IssueToRun,
  commit: string,
  sessionId?: string,
): Promise<AttemptOutcome> {
  const { who, agent, proofCommands } = settings;
  const cost = sessionId === undefined ? null : await costOf(who, sessionId).catch(() => null);
  const proof = listProofCommands(issue, proofCommands).map((command) => `\`${command}\``);
  const facts = [
    `Commit ${commit.slice(0, 12)} on \`${issue.branchName}\`, by ${agent.title}.`,
    ...(cost === null ? [] : [`Cost: $${cost.toFixed(2)}.`]),
    ...(proof.length === 0 ? [] : [`Verified by the recorded session: ${proof.join(", ")}.`]),
  ];
  const variables = { id: issue.id, fence: issue.lease?.fence, comment: facts.join(" "), proofCommands };
  for (let tries = 1; ; tries += 1) {
    const refusal = await who.ask(RUN_DOCUMENTS.complete, variables).catch((error) => error);
    if (!(refusal instanceof Error)) return say(issue, "finished");
    if (!(refusal instanceof CommandFailure)) throw refusal;
    if (tries === TRIES) return release(settings, issue, `The issue is not finished: ${refusal.message}`, commit);
    await sleep(AGAIN_MS);
  }
}

/** Returns the current cost of a session in US dollars; null if the cost is not known. */
async function costOf(who: CommandContext, sessionId: string): Promise<number | null> {
  const filter = { [isUuid(sessionId) ? "id" : "externalId"]: { eq: sessionId } };
  const asked = who.ask<{ recordedSessions: { nodes: { totals: { cost: number | null } }[] } }>(RUN_DOCUMENTS.cost, {
    filter,
  });
  return (await asked).recordedSessions.nodes[0]?.totals.cost ?? null;
}

/**
 * Releases the claim of an issue with a comment for the next holder. If the server refuses the release, reports whether
 * the agent had already completed the issue (`finished`) or the claim was lost (`lost`).
 */
async function release({ who }: RunSettings, issue: IssueToRun, why: string, commit = ""): Promise<AttemptOutcome> {
  const comment = commit === "" ? why : `${why} The branch \`${issue.branchName}\` contains the work.`;
  const asked = who.ask(RUN_DOCUMENTS.release, { id: issue.id, fence: issue.lease?.fence, comment });
  const refusal = await asked.catch((error) => error);
  if (!(refusal instanceof Error)) return say(issue, "released", comment);
  const isDone = isConflict(refusal) && (await stateOf(who, issue)) === "completed";
  return say(issue, isDone ? "finished" : "lost", `${comment} ${refusal.message}`);
}

function say({ identifier, title }: IssueToRun, outcome: AttemptOutcome, why = ""): AttemptOutcome {
  printToStderr(toOneLine(`${identifier} ${outcome}: ${title}. ${why}`, 500));
  return outcome;
}
