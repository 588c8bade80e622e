import { Argument, type Command, InvalidArgumentError } from "commander";
import { cured, EXIT, errorOf, Failure, lineOf } from "../failure.ts";
import { answer, tell } from "../output/print.ts";

/** The most issues that one call changes. */
const MOST = 50;

/** An issue as it was written: its identifier out of its address in the web app, or the text itself without blanks. */
export function issueId(text: string): string {
  const trimmed = text.trim();
  const [, identifier] =
    /^https?:\/\/[^/]+\/(?:.*\/)?issues?\/([A-Za-z][A-Za-z0-9]*-\d+)(?:[/?#]|$)/.exec(trimmed) ?? [];
  return identifier ?? trimmed;
}

/** An issue as the value of an option that may be given several times. */
export const gatheredIssue = (text: string, before: string[] = []): string[] => [...before, issueId(text)];

/** Adds the argument that names an issue. */
export const ofOneIssue = (command: Command): Command =>
  command.addArgument(new Argument("<issue>", "identifier such as ENG-12, its URL, or id").argParser(issueId));

/** Adds the argument that names one issue or several. */
export const ofIssues = (command: Command): Command =>
  command.addArgument(
    new Argument("<issue...>", `identifier such as ENG-12, its URL, or id; at most ${MOST}`).argParser(
      (text: string, before: string[] | undefined) => {
        const all = [...new Set(gatheredIssue(text, before))];
        if (all.length > MOST) throw new InvalidArgumentError(`One call takes ${MOST} issues at most.`);
        return all;
      },
    ),
  );

/** @throws Failure for a fence beside several issues: it belongs to the claim of one */
export function checkFence(ids: readonly string[], { fence }: { fence?: number }): void {
  if (fence === undefined || ids.length === 1) return;
  throw new Failure("A fence is of one issue.", { exit: EXIT.usage, cure: "one issue a call, or without --fence" });
}

/** The outcome of work on one issue. */
export interface Outcome {
  row: object;
  line: string;
}

/**
 * Does work on one issue after the other. One alone is answered as `issue`; of several each is by itself, and those that
 * are refused are reported beside the others.
 */
export async function forEachIssue(
  ids: readonly string[],
  json: boolean | undefined,
  work: (id: string) => Promise<Outcome>,
): Promise<void> {
  const [only = "", ...others] = ids;
  if (others.length === 0) {
    const { row, line } = await work(only);
    return answer(json, { issue: row }, () => [line]);
  }
  const done: Outcome[] = [];
  const failed: { id: string; failure: Failure }[] = [];
  for (const id of ids)
    await work(id).then(
      (outcome) => done.push(outcome),
      (error) => failed.push({ id, failure: expected(id, error) }),
    );
  const refused = failed.map(({ id, failure }) => ({ id, ...errorOf(failure) }));
  answer(json, { issues: done.map(({ row }) => row), failed: refused }, () => done.map(({ line }) => line));
  if (!json) for (const { failure } of failed) tell(lineOf(failure).trimEnd());
  process.exitCode = failed[0]?.failure.exit ?? EXIT.ok;
}

/** A refusal of one of several issues, which names it. */
function expected(id: string, error: unknown): Failure {
  if (!(error instanceof Failure)) throw error;
  const { message, exit, cure } = cured(error);
  return new Failure(message.includes(id) ? message : `${id}: ${message}`, { exit, ...(cure && { cure }) });
}
