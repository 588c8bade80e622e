import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isUuid } from "../../formats/uuid.ts";
import { EXIT, Failure } from "../failure.ts";
import { oneLine, tell } from "../output/print.ts";
import type { Worker } from "../work/caller.ts";
import { type Agent, type AgentProcess, startAgent } from "./process.ts";
import { promptOf, proofOf, RUN, type RunIssue } from "./prompt.ts";
import { addWorktree, type Left, noteAgent, type Repository, removeWorktree, type Worktree } from "./worktree.ts";

/** The settings of a run that each of its attempts follows. */
export interface Settings {
  who: Worker;
  repository: Repository;
  agent: Agent;
  /** The arguments of its command for a session. */
  args(session: string): string[];
  /** Commands of the repository that have to pass beside those of the team. */
  proofCommands: readonly string[];
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
/** A completion is asked for so often, so far apart: the last of the record may come after the end of the agent. */
const [TRIES, AGAIN_MS] = [5, 2_000];

/**
 * Works on a claimed issue: a tree, the agent in it, the end of the claim. Whatever happens, no tree is left, and what
 * was not committed is on the branch.
 */
export async function attempt(settings: Settings, issue: RunIssue, session: string): Promise<Outcome> {
  try {
    const { fault, sessionId, lastOutput, ...left } = await worked(settings, issue, session);
    const lacks = left.isDirty ? "Something was left uncommitted." : left.commit ? undefined : "Nothing was committed.";
    const why = fault ?? lacks;
    if (why === undefined) return await finish(settings, issue, left.commit, sessionId);
    tell(`${issue.identifier} output of ${settings.agent.title} ended with: ${oneLine(lastOutput)}`);
    return await release(settings, issue, why, left.commit);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return release(settings, issue, `It could not be worked on: ${error.message}`);
  }
}

/** The end of an agent: what was wrong, in a sentence, if anything; the session that it recorded; its last output. */
interface Ended {
  fault: string | undefined;
  sessionId: string | undefined;
  lastOutput: string;
}

async function worked(settings: Settings, issue: RunIssue, session: string): Promise<Ended & Left> {
  const tree = await addWorktree(settings.repository, issue);
  const end = () => removeWorktree(settings.repository, tree, `${issue.identifier}: unfinished work`);
  const ended = await runAgent(settings, issue, tree, session).catch(async (error) => {
    await end();
    throw error;
  });
  return { ...ended, ...(await end()) };
}

async function runAgent(settings: Settings, issue: RunIssue, tree: Worktree, session: string): Promise<Ended> {
  const { agent, args, proofCommands, repository, who } = settings;
  const given = agent.session ? undefined : session;
  // OpenCode works in the folder that a shell names so, whichever it was started in.
  const env = { ...process.env, PWD: tree.path, ...(given && { TRACKWAY_SESSION: given }) };
  const prompt = promptOf(issue, proofCommands);
  const running = await startAgent(agent, args(session), { cwd: tree.path, env, prompt });
  try {
    await noteAgent(repository, tree, running.id);
    const fault = (await watch(settings, issue, running)) ?? (await running.ended);
    return { fault, sessionId: given ?? running.session(), lastOutput: running.lastOutput() };
  } finally {
    await running.stop();
    await renew(who, issue, running).catch(() => {});
  }
}

/** Watches an agent until it ends, or has to be stopped: answers why. A server that is away stops nobody. */
async function watch(settings: Settings, issue: RunIssue, running: AgentProcess): Promise<string | undefined> {
  const { who, stopping, minutes, leastFree, agent, repository } = settings;
  const deadline = performance.now() + minutes * 60_000;
  const ended = running.ended.then(() => true);
  for (;;) {
    const waited = sleep(POLL_MS, false, { signal: stopping, ref: false }).catch(() => false);
    if (await Promise.race([ended, waited])) return undefined;
    if (stopping.aborted) return "The run was stopped.";
    if (performance.now() > deadline) return `${agent.title} was stopped after ${minutes} minutes.`;
    const { bavail, bsize } = await statfs(repository.root);
    if (bavail * bsize < leastFree) return "The disk is nearly full.";
    const refusal = await renew(who, issue, running).catch((error) => error);
    if (isConflict(refusal) && !["completed", undefined].includes(await stateOf(who, issue)))
      return `The claim ended: ${refusal.message}.`;
  }
}

/** Renews a claim, and gives it the session in which it is worked on as soon as that is known. */
const renew = (who: Worker, { id, lease }: RunIssue, running: AgentProcess): Promise<unknown> =>
  who.ask(RUN.renew, { id, fence: lease?.fence, sessionId: running.session() });

const isConflict = (error: unknown): error is Failure => error instanceof Failure && error.exit === EXIT.conflict;

/** The type of an issue's state now: its agent may have completed it. Undefined while the server is away. */
const stateOf = (who: Worker, { id }: RunIssue): Promise<string | undefined> =>
  who.ask<{ issue: { state: { type: string } } }>(RUN.state, { id }).then(
    ({ issue }) => issue.state.type,
    () => undefined,
  );

/** Completes an issue. Gives it back where its proof is missing, also after the time that the record may take. */
async function finish(settings: Settings, issue: RunIssue, commit: string, sessionId?: string): Promise<Outcome> {
  const { who, agent, proofCommands } = settings;
  const cost = sessionId === undefined ? null : await costOf(who, sessionId).catch(() => null);
  const proof = proofOf(issue, proofCommands).map((command) => `\`${command}\``);
  const facts = [
    `Commit ${commit.slice(0, 12)} on \`${issue.branchName}\`, by ${agent.title}.`,
    ...(cost === null ? [] : [`Cost: $${cost.toFixed(2)}.`]),
    ...(proof.length === 0 ? [] : [`Verified by the record: ${proof.join(", ")}.`]),
  ];
  const variables = { id: issue.id, fence: issue.lease?.fence, comment: facts.join(" "), proofCommands };
  for (let tries = 1; ; tries += 1) {
    const refusal = await who.ask(RUN.complete, variables).catch((error) => error);
    if (!(refusal instanceof Error)) return say(issue, "finished");
    if (!(refusal instanceof Failure)) throw refusal;
    if (tries === TRIES) return release(settings, issue, `It is not finished: ${refusal.message}`, commit);
    await sleep(AGAIN_MS);
  }
}

/** The cost of a session so far, in US dollars; null for one that is unknown. */
async function costOf(who: Worker, sessionId: string): Promise<number | null> {
  const filter = { [isUuid(sessionId) ? "id" : "externalId"]: { eq: sessionId } };
  const asked = who.ask<{ recordedSessions: { nodes: { totals: { cost: number | null } }[] } }>(RUN.cost, { filter });
  return (await asked).recordedSessions.nodes[0]?.totals.cost ?? null;
}

/** Gives an issue back, with a handover, unless its agent completed it or somebody else has it by now. */
async function release({ who }: Settings, issue: RunIssue, why: string, commit = ""): Promise<Outcome> {
  const comment = commit === "" ? why : `${why} The branch \`${issue.branchName}\` has its work.`;
  const asked = who.ask(RUN.release, { id: issue.id, fence: issue.lease?.fence, comment });
  const refusal = await asked.catch((error) => error);
  if (!(refusal instanceof Error)) return say(issue, "released", comment);
  const isDone = isConflict(refusal) && (await stateOf(who, issue)) === "completed";
  return say(issue, isDone ? "finished" : "lost", `${comment} ${refusal.message}`);
}

function say({ identifier, title }: RunIssue, outcome: Outcome, why = ""): Outcome {
  tell(oneLine(`${identifier} ${outcome}: ${title}. ${why}`, 500));
  return outcome;
}
