import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isUuid } from "../../formats/uuid.ts";
import { EXIT, Failure } from "../failure.ts";
import { tell } from "../output/print.ts";
import { oneLine } from "../output/safe.ts";
import type { Worker } from "../work/caller.ts";
import type { Runnable } from "./agents.ts";
import { RUN, type RunCost, type RunIssue, type RunState } from "./documents.ts";
import { type AgentProcess, startAgent } from "./process.ts";
import { promptOf } from "./prompt.ts";
import { addWorktree, noteAgent, type Repository, removeWorktree, type Worktree, workIn } from "./worktree.ts";

/** The settings of a run that each of its attempts follows. */
export interface Settings {
  who: Worker;
  repository: Repository;
  agent: Runnable;
  isBypassing: boolean;
  /** Arguments for the agent, behind ours. */
  extra: readonly string[];
  /** Minutes after which an agent is stopped. */
  minutes: number;
  /** Free bytes of the disk below which agents are stopped. */
  leastFree: number;
  /** Ends every attempt. */
  stopping: AbortSignal;
}

/** The end of an attempt at an issue. */
export type Outcome = "finished" | "released" | "lost";

const POLL_MS = 3_000;
/** Seconds that a claim lasts without a sign of the run or of its agent. */
export const TTL_SECONDS = 300;
const RENEW_MS = (TTL_SECONDS / 4) * 1_000;

/**
 * Works on a claimed issue: a tree, the agent in it, the end of the claim. Whatever happens, no tree is left, and what
 * was not committed is on the branch.
 */
export async function attempt(settings: Settings, issue: RunIssue, session: string): Promise<Outcome> {
  const { repository } = settings;
  const name = issue.identifier;
  let tree: Worktree | undefined;
  try {
    tree = await addWorktree(repository, issue);
    const { fault, sessionId } = await work(settings, issue, tree, session);
    const { commits, isDirty } = await workIn(tree);
    const isDone = fault === undefined && commits.length > 0 && !isDirty;
    await removeWorktree(repository, tree, `${name}: unfinished work`);
    const branch = tree.branch;
    tree = undefined;
    const lacks = isDirty ? "Something was left uncommitted; it is on the branch now." : "Nothing was committed.";
    return isDone
      ? await finish(settings, issue, { branch, commit: String(commits[0]), sessionId })
      : await release(settings, issue, `${fault ?? lacks} ${branchText(branch, commits.length > 0 || isDirty)}`);
  } catch (error) {
    if (tree) await removeWorktree(repository, tree, `${name}: unfinished work`).catch(report(name));
    if (!(error instanceof Failure)) throw error;
    report(name)(error);
    return release(settings, issue, `It could not be worked on: ${error.message}`).catch((failed) => {
      report(name)(failed);
      return "lost";
    });
  }
}

const report =
  (name: string) =>
  (error: Error): void =>
    tell(`${name}: ${oneLine(error.message, 500)}`);

const branchText = (branch: string, isKept: boolean): string =>
  isKept ? `The branch \`${branch}\` has its work.` : "";

/** The end of an agent: what was wrong, in a sentence, if anything; and the session that it recorded. */
interface Ended {
  fault: string | undefined;
  sessionId: string | undefined;
}

/** Runs the agent to its end. */
async function work(settings: Settings, issue: RunIssue, tree: Worktree, session: string): Promise<Ended> {
  const { who, agent, isBypassing, extra, repository } = settings;
  const prompt = promptOf(issue, { branch: tree.branch });
  const known: Known = { sessionId: agent.takesSession ? session : undefined };
  const running = await startAgent({
    program: agent.program,
    args: [...agent.args({ session, isBypassing }), ...extra],
    folder: tree.path,
    prompt,
    env: { ...process.env, ...(agent.takesSession && { TRACKWAY_SESSION: session }) },
    onLine: (line) => {
      known.sessionId ??= sessionIn(agent, line);
    },
  });
  try {
    await noteAgent(repository, tree, running.id);
    const fault = (await watch(settings, issue, running, known)) ?? faultOf(agent, await running.ended);
    if (fault !== undefined) tell(`${issue.identifier}: ${oneLine(running.lastError(), 500)}`);
    return { fault, sessionId: known.sessionId };
  } finally {
    await running.stop();
    if (known.sessionId && !agent.takesSession) await bind(who, issue, known.sessionId).catch(() => {});
  }
}

/** The session of an agent, once it is known. */
interface Known {
  sessionId: string | undefined;
}

const faultOf = ({ title }: Runnable, code: number | null): string | undefined =>
  code === 0 ? undefined : `${title} ended with ${code === null ? "a signal" : `code ${code}`}.`;

function sessionIn({ sessionIn: read }: Runnable, line: string): string | undefined {
  if (!read || !line.startsWith("{")) return undefined;
  try {
    const id = read(JSON.parse(line));
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Gives the claim the session in which it is worked on: from then on each of its events renews the claim. */
const bind = (who: Worker, { id, lease }: RunIssue, sessionId: string): Promise<unknown> =>
  who.ask(RUN.renew, { id, fence: lease?.fence, sessionId });

/** Watches an agent until it ends, or has to be stopped: answers why. A server that is away stops nobody. */
async function watch(
  { who, stopping, minutes, leastFree, agent, repository }: Settings,
  issue: RunIssue,
  running: AgentProcess,
  known: Known,
): Promise<string | undefined> {
  const deadline = performance.now() + minutes * 60_000;
  let bound = agent.takesSession;
  let renewed = performance.now();
  const ended = running.ended.then(() => true);
  for (;;) {
    if (await Promise.race([ended, sleep(POLL_MS, false, { signal: stopping, ref: false }).catch(() => false)]))
      return undefined;
    if (stopping.aborted) return "The run was stopped.";
    if (performance.now() > deadline) return `${agent.title} was stopped after ${minutes} minutes.`;
    const { bavail, bsize } = await statfs(repository.root);
    if (bavail * bsize < leastFree) return "The disk is nearly full.";
    if (known.sessionId && !bound)
      bound = await bind(who, issue, known.sessionId).then(
        () => true,
        () => false,
      );
    if (performance.now() > renewed + RENEW_MS) {
      renewed = performance.now();
      await who.ask(RUN.renew, { id: issue.id, fence: issue.lease?.fence }).catch(() => {});
    }
    const lost = await lostBy(who, issue);
    if (lost !== undefined) return lost;
  }
}

/** Why a claim does not hold any more, if so. An issue that its agent completed is fine. */
async function lostBy(who: Worker, { id, lease }: RunIssue): Promise<string | undefined> {
  const asked = await who.ask<RunState>(RUN.state, { id }).catch(() => undefined);
  if (!asked || asked.issue.state.type === "completed") return undefined;
  const { lease: now } = asked.issue;
  if (now?.trippedBy) return `Its limit was reached: ${now.trippedBy}.`;
  return now && now.fence === lease?.fence ? undefined : "The claim was lost.";
}

/** Completes an issue, or releases it where the team's proof is missing. */
async function finish(
  settings: Settings,
  issue: RunIssue,
  { branch, commit, sessionId }: { branch: string; commit: string; sessionId: string | undefined },
): Promise<Outcome> {
  const { who, agent } = settings;
  const { state } = (await who.ask<RunState>(RUN.state, { id: issue.id })).issue;
  if (state.type === "completed") return say(issue, "finished");
  const cost = sessionId === undefined ? null : await costOf(who, sessionId);
  const facts = [
    `Commit ${commit.slice(0, 12)} on \`${branch}\`, by ${agent.title}.`,
    ...(cost === null ? [] : [`Cost: $${cost.toFixed(2)}.`]),
  ];
  const variables = { id: issue.id, fence: issue.lease?.fence, comment: facts.join(" ") };
  try {
    await who.ask(RUN.complete, variables);
    return say(issue, "finished");
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.conflict) throw error;
    return release(settings, issue, `${facts.join(" ")} Not finished: ${error.message}`);
  }
}

/** The cost of a session so far, in US dollars; null for one that is unknown. */
async function costOf(who: Worker, sessionId: string): Promise<number | null> {
  const filter = isUuid(sessionId) ? { id: { eq: sessionId } } : { externalId: { eq: sessionId } };
  const { recordedSessions } = await who.ask<RunCost>(RUN.cost, { filter });
  return recordedSessions.nodes[0]?.totals.cost ?? null;
}

/** Gives an issue back, unless somebody else has it by now. */
async function release({ who }: Settings, issue: RunIssue, comment: string): Promise<Outcome> {
  const { lease, state } = (await who.ask<RunState>(RUN.state, { id: issue.id })).issue;
  if (state.type === "completed") return say(issue, "finished");
  const isOurs = lease && (lease.fence === issue.lease?.fence || lease.trippedBy !== null);
  if (!isOurs) return say(issue, "lost", comment);
  await who.ask(RUN.release, { id: issue.id, comment: comment.trim() });
  return say(issue, "released", comment);
}

function say({ identifier, title }: RunIssue, outcome: Outcome, why = ""): Outcome {
  tell(oneLine(`${identifier} ${outcome}: ${title}. ${why}`, 500));
  return outcome;
}
