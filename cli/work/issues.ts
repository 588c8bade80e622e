import { Argument, type Command, InvalidArgumentError } from "commander";
import { addDefaultFix, CommandFailure, EXIT_CODES, formatFailure, toErrorJson } from "../failure.ts";
import { printResult, printToStderr } from "../output/print.ts";

/** Maximum number of issues per call. */
const MOST = 50;

/**
 * Parses an issue argument. From a URL of the web app, extracts the identifier. From any other text, removes the spaces
 * at both ends.
 */
export function parseIssueArgument(text: string): string {
  const trimmed = text.trim();
  const [, identifier] =
    /^https?:\/\/[^/]+\/(?:.*\/)?issues?\/([A-Za-z][A-Za-z0-9]*-\d+)(?:[/?#]|$)/.exec(trimmed) ?? [];
  return identifier ?? trimmed;
}

/** Collects the issues of a repeatable option. Each use of the option adds one issue to the list. */
export const collectIssues = (text: string, before: string[] = []): string[] => [...before, parseIssueArgument(text)];

export const addIssueArgument = (command: Command): Command =>
  command.addArgument(new Argument("<issue>", "identifier such as ENG-12, URL, or id").argParser(parseIssueArgument));

/** Adds the argument that names one or more issues. */
export const addIssuesArgument = (command: Command): Command =>
  command.addArgument(
    new Argument("<issue...>", `identifier such as ENG-12, URL, or id; up to ${MOST} issues`).argParser(
      (text: string, before: string[] | undefined) => {
        const all = [...new Set(collectIssues(text, before))];
        if (all.length > MOST) throw new InvalidArgumentError(`The maximum is ${MOST} issues per call.`);
        return all;
      },
    ),
  );

/** @throws CommandFailure if a fence is given for several issues, because a fence belongs to the claim of one issue */
export function assertFenceForSingleIssue(ids: readonly string[], { fence }: { fence?: number }): void {
  if (fence === undefined || ids.length === 1) return;
  throw new CommandFailure("--fence works with one issue only.", {
    exit: EXIT_CODES.usage,
    cure: "use one issue per call, or remove --fence",
  });
}

export interface IssueOutcome {
  row: object;
  line: string;
}

/**
 * Runs `work` on one issue after the other. For a single issue, prints the result as `issue`. For several issues,
 * continues after a failure, and prints both the results and the failed issues.
 */
export async function forEachIssue(
  ids: readonly string[],
  json: boolean | undefined,
  work: (id: string) => Promise<IssueOutcome>,
): Promise<void> {
  const [only = "", ...others] = ids;
  if (others.length === 0) {
    const { row, line } = await work(only);
    return printResult(json, { issue: row }, () => [line]);
  }
  const done: IssueOutcome[] = [];
  const failed: { id: string; failure: CommandFailure }[] = [];
  for (const id of ids)
    await work(id).then(
      (outcome) => done.push(outcome),
      (error) => failed.push({ id, failure: expected(id, error) }),
    );
  const refused = failed.map(({ id, failure }) => ({ id, ...toErrorJson(failure) }));
  printResult(json, { issues: done.map(({ row }) => row), failed: refused }, () => done.map(({ line }) => line));
  if (!json) for (const { failure } of failed) printToStderr(formatFailure(failure).trimEnd());
  process.exitCode = failed[0]?.failure.exit ?? EXIT_CODES.ok;
}

/**
 * Returns the failure of one issue among several, with the issue's identifier in the message. Rethrows an error that is
 * not a Failure.
 */
function expected(id: string, error: unknown): CommandFailure {
  if (!(error instanceof CommandFailure)) throw error;
  const { message, exit, cure } = addDefaultFix(error);
  return new CommandFailure(message.includes(id) ? message : `${id}: ${message}`, { exit, ...(cure && { cure }) });
}
