import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Command } from "commander";
import { type Blamed, blame, type Origin } from "../../blame/blame.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { oneLine } from "../../output/safe.ts";
import { worker } from "../../work/caller.ts";

/** Lines that one call answers. */
const MOST = 500;

const AFTER = `
A line is somebody's only where a recording shows it: by the id of its commit, by its patch after a rebase, or by the lines
that were added. docs/blame.md says how.
Examples:
  trackway blame src/parser.ts:41
  trackway blame src/parser.ts:41-60 --json
`;

/** `trackway blame`: who wrote lines, at whose request, and what it cost. */
export const blameCommand = (): Command =>
  withJson(new Command("blame").description("show which recorded session wrote lines of a file, and who asked for it"))
    .argument("<place>", "a file, with a line or lines: src/parser.ts:41, src/parser.ts:41-60")
    .addHelpText("after", AFTER)
    .action(run);

async function run(place: string, { json }: Answering): Promise<void> {
  const [, path = "", from, to = from] = /^(.+?)(?::(\d{1,8})(?:-(\d{1,8}))?)?$/s.exec(place) ?? [];
  if (Number(to ?? MOST) - Number(from ?? 1) >= MOST)
    throw new Failure(`One call takes ${MOST} lines at most.`, { exit: EXIT.usage, cure: `${path}:1-${MOST}` });
  const file = resolve(path);
  if (!(await stat(file).catch(() => undefined))?.isFile())
    throw new Failure(`There is no file ${path}.`, { exit: EXIT.notFound, cure: "trackway blame src/parser.ts:41" });
  const range = from === undefined ? `1,+${MOST}` : `${from},${to}`;
  const lines = await blame(await worker(), dirname(file), basename(file), range);
  answer(json, { lines: lines.map((line) => ({ ...line, path })) }, () => lines.flatMap(textOf));
}

/** A line, and below it what is recorded of it; a line like the one before is not explained again. */
function textOf(line: Blamed, index: number, all: readonly Blamed[]): string[] {
  const head = `${line.line} ${oneLine(line.text, 120)}`;
  const before = all[index - 1];
  if (before && [line, before].map(keyOf).every((key, _at, keys) => key === keys[0])) return [head];
  const { commit, message, author, by, written, committed } = line;
  const known = { id: "", patch: ", known by its patch", lines: ", known by the lines that were added" };
  return [
    head,
    commit
      ? `  commit ${commit.slice(0, 12)} ${oneLine(message ?? "", 80)} (${oneLine(author ?? "", 40)}${by ? known[by] : ""})`
      : "  not committed",
    ...(written ? originLines("written", written) : []),
    ...(committed && committed.session !== written?.session ? originLines("committed", committed) : []),
    ...(written
      ? []
      : [committed ? "  who wrote it is not recorded" : "  unknown: no recorded session is known to have written it"]),
  ];
}

const keyOf = ({ commit, written, committed }: Blamed): string => [commit, written?.event, committed?.event].join(" ");

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
