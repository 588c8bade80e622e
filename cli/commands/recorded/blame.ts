import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Command } from "commander";
import { blameLines, type LineBlame, type RecordedLineOrigin } from "../../blame/blame.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addJsonOption, type OutputOptions } from "../../options.ts";
import { printResult, toOneLine } from "../../output/print.ts";
import { createCommandContext } from "../../work/caller.ts";

/** Maximum number of lines per call. */
const MOST = 500;

const AFTER = `
The command names a session only if a recording proves that the session wrote the line: by the commit id, by the patch after a
rebase, or by the added lines. See docs/blame.md. For longer files, the command shows the first 500 lines and how to continue.
Examples:
  trackway blame src/parser.ts:41
  trackway blame src/parser.ts:41-60 --json
  trackway blame src/parser.ts:41-
`;

/** `trackway blame`: shows which session wrote lines, for which prompt and at which cost. */
export const createBlameCommand = (): Command =>
  addJsonOption(
    new Command("blame").description(
      "show the recorded session that wrote lines of a file, and the user who asked for the change",
    ),
  )
    .argument("<place>", "a file, with a line or lines: src/parser.ts:41, src/parser.ts:41-60")
    .addHelpText("after", AFTER)
    .action(run);

async function run(place: string, { json }: OutputOptions): Promise<void> {
  const [, path = "", from = "1", dash, to] = /^(.+?)(?::(\d{1,8})(?:(-)(\d{1,8})?)?)?$/s.exec(place) ?? [];
  const isOpen = path === place || (dash !== undefined && to === undefined);
  const [first, last] = [Number(from), Number(to ?? from)];
  if (last - first >= MOST)
    throw new CommandFailure(`The maximum is ${MOST} lines per call.`, {
      exit: EXIT_CODES.usage,
      cure: `${path}:${first}-`,
    });
  const file = resolve(path);
  if (!(await stat(file).catch(() => undefined))?.isFile())
    throw new CommandFailure(`There is no file ${path}.`, {
      exit: EXIT_CODES.notFound,
      cure: "trackway blame src/parser.ts:41",
    });
  // The request asks for one line more than the maximum, to find out whether there are more lines.
  const range = `${first},${isOpen ? first + MOST : last}`;
  const found = await blameLines(await createCommandContext(), dirname(file), basename(file), range);
  const lines = found.slice(0, MOST).map((line) => ({ ...line, path }));
  const next = found.length > MOST ? `${path}:${first + MOST}-` : null;
  printResult(json, { lines, next }, () => [
    ...lines.flatMap(textOf),
    ...(next ? [`More: trackway blame ${toOneLine(next, 500)}`] : []),
  ]);
}

/**
 * Formats a line of the file, followed by the origin of the line. If the previous line has the same origin, the origin
 * is not repeated.
 */
function textOf(line: LineBlame, index: number, all: readonly LineBlame[]): string[] {
  const head = `${line.line} ${toOneLine(line.text, 120)}`;
  const before = all[index - 1];
  if (before && [line, before].map(keyOf).every((key, _at, keys) => key === keys[0])) return [head];
  const { commit, message, author, by, unknown, written, committed } = line;
  const known = { id: "", patch: ", matched by patch", lines: ", matched by added lines" };
  return [
    head,
    commit
      ? `  commit ${commit.slice(0, 12)} ${toOneLine(message ?? "", 80)} (${toOneLine(author ?? "", 40)}${by ? known[by] : ""})`
      : "  not committed",
    ...(written ? originLines("written", written) : []),
    ...(committed && committed.session !== written?.session ? originLines("committed", committed) : []),
    ...(written ? [] : [`  ${unknown ? `unknown: ${toOneLine(unknown, 300)}` : notKnown(committed)}`]),
  ];
}

const notKnown = (committed: RecordedLineOrigin | null): string =>
  committed ? "the writer is not recorded" : "unknown: no recorded session is known to have written this line";

const keyOf = ({ commit, unknown, written, committed }: LineBlame): string =>
  [commit, unknown, written?.event, committed?.event].join(" ");

function originLines(
  how: string,
  { event, at, agent, user, session, asked, issues, cost, costSource }: RecordedLineOrigin,
): string[] {
  const parts = [
    `  ${how} by ${toOneLine(agent ?? "an agent", 40)}`,
    user && `for @${toOneLine(user, 40)}`,
    `at ${at.slice(0, 19)}Z`,
    cost !== null && `(session ${costSource === "computed" ? "~" : ""}$${cost.toFixed(2)})`,
    issues.length > 0 && `for ${issues.join(", ")}`,
  ];
  return [
    parts.filter(Boolean).join(" "),
    ...(asked ? [`    asked: "${toOneLine(asked, 160)}"`] : []),
    `    event ${event} of session ${session}`,
  ];
}
