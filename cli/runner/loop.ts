import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, Failure } from "../failure.ts";
import { tell } from "../output/print.ts";
import { oneLine } from "../output/safe.ts";
import { nextSession } from "./agents.ts";
import { attempt, type Outcome, type Settings, TTL_SECONDS } from "./attempt.ts";
import { RUN, type RunIssue } from "./documents.ts";

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

/**
 * Works off ready issues, several at a time, until none is left that this run has not tried. Answers how many had which
 * outcome.
 */
export async function runAll(settings: Settings, taking: Taking): Promise<Record<Outcome, number>> {
  const counts = { finished: 0, released: 0, lost: 0 };
  const tried: string[] = [];
  const running = new Set<Promise<void>>();
  for (let more = true; more || running.size > 0; ) {
    while (more && running.size < taking.parallel && !taking.ending.aborted) {
      const session = nextSession();
      const issue = await claimNext(settings, taking, tried, session);
      if (!issue) break;
      tried.push(issue.id);
      tell(oneLine(`${issue.identifier} begun: ${issue.title}`, 300));
      const one = attempt(settings, issue, session)
        .then((outcome) => {
          counts[outcome] += 1;
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    if (running.size > 0) await Promise.race(running);
    // An issue that ended may have blocked another.
    more = !taking.ending.aborted && (running.size > 0 || (await isReady(settings, taking, tried)));
  }
  return counts;
}

const untried = (filter: object, tried: readonly string[]): object =>
  tried.length === 0 ? filter : { and: [filter, { id: { nin: tried } }] };

async function claimNext(
  { who, agent }: Settings,
  { filter, limits }: Taking,
  tried: readonly string[],
  session: string,
): Promise<RunIssue | undefined> {
  const input = {
    filter: untried(filter, tried),
    sessionId: agent.takesSession ? session : undefined,
    ttlSeconds: TTL_SECONDS,
    ...limits,
  };
  try {
    return (await who.ask<{ issueClaim: { issue: RunIssue } }>(RUN.claim, { input })).issueClaim.issue;
  } catch (error) {
    if (error instanceof Failure && error.exit === EXIT.notFound) return undefined;
    throw error;
  }
}

async function isReady({ who }: Settings, { filter }: Taking, tried: readonly string[]): Promise<boolean> {
  return (await readyIssues(who, untried(filter, tried))).length > 0;
}

/** The first ready issues that a run would take. */
export async function readyIssues(who: Settings["who"], filter: object): Promise<RunIssue[]> {
  const ready = { and: [filter, { ready: { eq: true } }] };
  return (await who.ask<{ issues: { nodes: RunIssue[] } }>(RUN.ready, { filter: ready })).issues.nodes;
}

const PRESSED_MS = 1_000;

/** Signals of a person: the first has a run take no new issue, the second ends it. Answers both, and how to stop listening. */
export function interrupts(): { ending: AbortSignal; stopping: AbortSignal; forget(): void } {
  const [ending, stopping] = [new AbortController(), new AbortController()];
  let isSettled = true;
  const onSignal = () => {
    // npm and a shell both pass on what was pressed once.
    if (!isSettled) return;
    isSettled = false;
    void sleep(PRESSED_MS, undefined, { ref: false }).then(() => {
      isSettled = true;
    });
    if (ending.signal.aborted) return stopping.abort();
    ending.abort();
    tell("No new issue is begun. Again to stop those that are worked on.");
  };
  const onTerm = () => {
    ending.abort();
    stopping.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onTerm);
  const forget = () => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onTerm);
  };
  return { ending: ending.signal, stopping: stopping.signal, forget };
}
