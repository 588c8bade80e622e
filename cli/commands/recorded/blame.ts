import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Command } from "commander";
import { type Blamed, blame, type Origin } from "../../blame/blame.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, withJson } from "../../options.ts";
import { answer, oneLine } from "../../output/print.ts";
import { worker } from "../../work/caller.ts";

/** Lines that one call answers. */
const MOST = 500;

const AFTER = `
A line is somebody's only where a recording shows it: by the id of its commit, by its patch after a rebase, or by the lines
that were added. docs/blame.md says how.
Of a longer file the first 500 lines are shown, and how to go on.
Examples:
  trackway blame src/parser.ts:41
  trackway blame src/parser.ts:41-60 --json
  trackway blame src/parser.ts:41-
`;

/** `trackway blame`: who wrote lines, at whose request, and what it cost. */
export const blameCommand = (): Command =>
  withJson(new Command("blame").description("show which recorded session wrote lines of a file, and who asked for it"))
    .argument("<place>", "a file, with a line or lines: src/parser.ts:41, src/parser.ts:41-60")
    .addHelpText("after", AFTER)
    .action(run);

async function run(place: string, { json }: Answering): Promise<void> {
  const [, path = "", from = "1", dash, to] = /^(.+?)(?::(\d{1,8})(?:(-)(\d{1,8})?)?)?$/s.exec(place) ?? [];
  const isOpen = path === place || (dash !== undefined && to === undefined);
  const [first, last] = [Number(from), Number(to ?? from)];
  if (last - first >= MOST)
    throw new Failure(`One call takes ${MOST} lines at most.`, { exit: EXIT.usage, cure: `${path}:${first}-` });
  const file = resolve(path);
  if (!(await stat(file).catch(() => undefined))?.isFile())
    throw new Failure(`There is no file ${path}.`, { exit: EXIT.notFound, cure: "trackway blame src/parser.ts:41" });
  // One line more than is shown says that there are more.
  const range = `${first},${isOpen ? first + MOST : last}`;
  const found = await blame(await worker(), dirname(file), basename(file), range);
  const lines = found.slice(0, MOST).map((line) => ({ ...line, path }));
  const next = found.length > MOST ? `${path}:${first + MOST}-` : null;
  answer(json, { lines, next }, () => [
    ...lines.flatMap(textOf),
    ...(next ? [`More: trackway blame ${oneLine(next, 500)}`] : []),
  ]);
}

/** A line, and below it what is recorded of it; a line like the one before is not explained again. */
function textOf(line: Blamed, index: number, all: readonly Blamed[]): string[] {
  const head = `${line.line} ${oneLine(line.text, 120)}`;
  const before = all[index - 1];
  if (before && [line, before].map(keyOf).every((key, _at, keys) => key === keys[0])) return [head];
  const { commit, message, author, by, unknown, written, committed } = line;
  const known = { id: "", patch: ", known by its patch", lines: ", known by the lines that were added" };
  return [
    head,
    commit
      ? `  commit ${commit.slice(0, 12)} ${oneLine(message ?? "", 80)} (${oneLine(author ?? "", 40)}${by ? known[by] : ""})`
      : "  not committed",
    ...(written ? originLines("written", written) : []),
    ...(committed && committed.session !== written?.session ? originLines("committed", committed) : []),
    ...(written ? [] : [`  ${unknown ? `unknown: ${oneLine(unknown, 300)}` : notKnown(committed)}`]),
  ];
}

const notKnown = (committed: Origin | null): string =>
  committed ? "who wrote it is not recorded" : "unknown: no recorded session is known to have written it";

const keyOf = ({ commit, unknown, written, committed }: Blamed): string =>
  [commit, unknown, written?.event, committed?.event].join(" ");

function originLines(
  how: string,
  { event, at, agent, user, session, asked, issues, cost, costSource }: Origin,
): string[] {
  const parts = [
    `  ${how} by ${oneLine(agent ?? "an agent", 40)}`,
    user && `for @${oneLine(user, 40)}`,
    `at ${at.slice(0, 19)}Z`,
    cost !== null && `(session ${costSource === "computed" ? "~" : ""}$${cost.toFixed(2)})`,
    issues.length > 0 && `for ${issues.join(", ")}`,
  ];
  return [
    parts.filter(Boolean).join(" "),
    ...(asked ? [`    asked: "${oneLine(asked, 160)}"`] : []),
    `    event ${event} of session ${session}`,
  ];
}
