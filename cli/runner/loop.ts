import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { printToStderr, toOneLine } from "../output/print.ts";
import { type AttemptOutcome, type RunSettings, workOnIssue } from "./attempt.ts";
import { type IssueToRun, RUN_DOCUMENTS } from "./prompt.ts";

/** Conditions and limits for claiming issues in a run. */
export interface ClaimRules {
  /** Filter of the issues that the run may claim, in the API's form. */
  filter: object;
  parallel: number;
  /** Limits of each claim. */
  limits: { costLimit?: number | undefined; minuteLimit: number };
  /** Aborted when the run must claim no more issues. */
  ending: AbortSignal;
}

/** Seconds after which a claim expires if neither the run nor the run's agent renews the claim. */
const TTL_SECONDS = 300;

/**
 * Works on ready issues, several at a time, until the run has tried every ready issue. Returns the number of attempts
 * for each outcome.
 */
export async function workOnReadyIssues(
  settings: RunSettings,
  taking: ClaimRules,
): Promise<Record<AttemptOutcome, number>> {
  const counts = { finished: 0, released: 0, lost: 0 };
  const tried: string[] = [];
  const running = new Set<Promise<unknown>>();
  for (;;) {
    while (running.size < taking.parallel && !taking.ending.aborted) {
      const session = randomUUID();
      const issue = await claimNext(settings, taking, tried, session).catch((error) => {
        // The server may be unreachable only for a while, so agents that are already running continue. Without running
        // agents, the run ends with the error.
        if (running.size === 0) throw error;
        printToStderr(toOneLine(`Cannot claim an issue now: ${error.message}`, 500));
      });
      if (!issue) break;
      tried.push(issue.id);
      printToStderr(toOneLine(`${issue.identifier} begun: ${issue.title}`, 300));
      const one = workOnIssue(settings, issue, session).then((outcome) => {
        counts[outcome] += 1;
        running.delete(one);
      });
      running.add(one);
    }
    if (running.size === 0) return counts;
    // The end of an attempt may unblock another issue, so the loop asks for ready issues again.
    await Promise.race(running);
  }
}

async function claimNext(
  { who, agent }: RunSettings,
  { filter, limits }: ClaimRules,
  tried: readonly string[],
  session: string,
): Promise<IssueToRun | undefined> {
  const untried = tried.length === 0 ? filter : { and: [filter, { id: { nin: tried } }] };
  const sessionId = agent.session ? undefined : session;
  const input = { filter: untried, sessionId, ttlSeconds: TTL_SECONDS, ...limits };
  return who.ask<{ issueClaim: { issue: IssueToRun } }>(RUN_DOCUMENTS.claim, { input }).then(
    ({ issueClaim }) => issueClaim.issue,
    (error) => {
      if (error instanceof CommandFailure && error.exit === EXIT_CODES.notFound) return undefined;
      throw error;
    },
  );
}

/** Returns the first ready issues that a run would claim. */
export async function listReadyIssues(who: RunSettings["who"], filter: object): Promise<IssueToRun[]> {
  return (await who.ask<{ readyIssues: { nodes: IssueToRun[] } }>(RUN_DOCUMENTS.ready, { filter })).readyIssues.nodes;
}

const PRESSED_MS = 1_000;

/**
 * Listens for the signals SIGINT and SIGTERM. After the first SIGINT (Ctrl-C), the run claims no more issues. After a
 * second SIGINT, or after SIGTERM, the run stops its agents. Returns an AbortSignal for each of the two stages, and a
 * function that stops listening.
 */
export function listenForInterrupts(): { ending: AbortSignal; stopping: AbortSignal; forget(): void } {
  const [ending, stopping] = [new AbortController(), new AbortController()];
  // Disables the warning of Node.js about too many listeners. Each attempt adds listeners, and the listeners of an
  // ended attempt may remain for a moment, which is not a memory leak.
  setMaxListeners(0, stopping.signal);
  let first = Number.POSITIVE_INFINITY;
  const listener = (signal: NodeJS.Signals) => {
    // npm and the shell both forward one Ctrl-C, so a second signal within a second does not count.
    if (signal === "SIGTERM" || performance.now() > first + PRESSED_MS) stopping.abort();
    else if (!ending.signal.aborted)
      printToStderr("This command claims no more issues. Press Ctrl-C again to stop the running agents.");
    first = Math.min(first, performance.now());
    ending.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, listener);
  const forget = () => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, listener);
  };
  return { ending: ending.signal, stopping: stopping.signal, forget };
}
