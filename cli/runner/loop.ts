import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { EXIT, Failure } from "../failure.ts";
import { oneLine, tell } from "../output/print.ts";
import { attempt, type Outcome, type Settings } from "./attempt.ts";
import { RUN, type RunIssue } from "./prompt.ts";

/** The way in which a run takes issues. */
export interface Taking {
  /** Issues that may be taken, as the API filters them. */
  filter: object;
  parallel: number;
  /** Limits of each claim. */
  limits: { costLimit?: number | undefined; minuteLimit: number };
  /** Aborted when no new issue is to be taken. */
  ending: AbortSignal;
}

/** Seconds that a claim lasts without a sign of the run or of its agent. */
const TTL_SECONDS = 300;

/**
 * Works off ready issues, several at a time, until none is left that this run has not tried. Answers how many had which
 * outcome.
 */
export async function runAll(settings: Settings, taking: Taking): Promise<Record<Outcome, number>> {
  const counts = { finished: 0, released: 0, lost: 0 };
  const tried: string[] = [];
  const running = new Set<Promise<unknown>>();
  for (;;) {
    while (running.size < taking.parallel && !taking.ending.aborted) {
      const session = randomUUID();
      const issue = await claimNext(settings, taking, tried, session).catch((error) => {
        // Agents that are at work go on while the server is away.
        if (running.size === 0) throw error;
        tell(oneLine(`No issue can be taken now: ${error.message}`, 500));
      });
      if (!issue) break;
      tried.push(issue.id);
      tell(oneLine(`${issue.identifier} begun: ${issue.title}`, 300));
      const one = attempt(settings, issue, session).then((outcome) => {
        counts[outcome] += 1;
        running.delete(one);
      });
      running.add(one);
    }
    if (running.size === 0) return counts;
    // An issue that ended may have blocked another.
    await Promise.race(running);
  }
}

async function claimNext(
  { who, agent }: Settings,
  { filter, limits }: Taking,
  tried: readonly string[],
  session: string,
): Promise<RunIssue | undefined> {
  const untried = tried.length === 0 ? filter : { and: [filter, { id: { nin: tried } }] };
  const sessionId = agent.session ? undefined : session;
  const input = { filter: untried, sessionId, ttlSeconds: TTL_SECONDS, ...limits };
  return who.ask<{ issueClaim: { issue: RunIssue } }>(RUN.claim, { input }).then(
    ({ issueClaim }) => issueClaim.issue,
    (error) => {
      if (error instanceof Failure && error.exit === EXIT.notFound) return undefined;
      throw error;
    },
  );
}

/** The first ready issues that a run would take. */
export async function readyIssues(who: Settings["who"], filter: object): Promise<RunIssue[]> {
  return (await who.ask<{ readyIssues: { nodes: RunIssue[] } }>(RUN.ready, { filter })).readyIssues.nodes;
}

const PRESSED_MS = 1_000;

/** Signals of a person: the first has a run take no new issue, the second ends it. Answers both, and how to stop listening. */
export function interrupts(): { ending: AbortSignal; stopping: AbortSignal; forget(): void } {
  const [ending, stopping] = [new AbortController(), new AbortController()];
  // Each attempt waits for it, and one more for each that just ended: no number of listeners is a leak.
  setMaxListeners(0, stopping.signal);
  let first = Number.POSITIVE_INFINITY;
  const listener = (signal: NodeJS.Signals) => {
    // npm and a shell both pass on what was pressed once.
    if (signal === "SIGTERM" || performance.now() > first + PRESSED_MS) stopping.abort();
    else if (!ending.signal.aborted) tell("No new issue is begun. Again to stop those that are worked on.");
    first = Math.min(first, performance.now());
    ending.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, listener);
  const forget = () => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, listener);
  };
  return { ending: ending.signal, stopping: stopping.signal, forget };
}
