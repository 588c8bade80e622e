import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT_CODES } from "../../failure.ts";
import { readUserEnvironment, type UserEnvironment } from "../../files/places.ts";
import { startProgress } from "../../import/progress.ts";
import { collectValues, parseTimeOption } from "../../options.ts";
import { printResult, printToStderr } from "../../output/print.ts";
import { type FileSelection, findSessionFiles } from "../../transcripts/find.ts";
import { importSessionFiles, type SessionImportState } from "../../transcripts/import.ts";
import { obtainImportAccess } from "../../transcripts/key.ts";
import { readPositions } from "../../transcripts/lines.ts";
import { type SessionFilesSummary, SessionImportReport, summarizeFiles } from "../../transcripts/report.ts";
import { SESSION_SOURCES } from "../../transcripts/sources.ts";

interface Options {
  agent?: string[];
  since?: number;
  dryRun?: true;
  again?: true;
  skipUnknown?: true;
  watch?: true;
  json?: true;
}

const AFTER = `
Searches for sessions where agents store them, or below PATH: ${SESSION_SOURCES.map(({ name }) => name).join(", ")}.

The import completes sessions that were recorded while they ran, and never duplicates events. An interrupted import continues
where it stopped. The import sends the type and size of images, not the images. Secrets are redacted before anything is stored.
Unreadable lines are listed with their file, and the exit code is 1. See docs/recording.md for details.
Examples:
  trackway import sessions --dry-run
  trackway import sessions --since 90d
  trackway import sessions ~/backup/claude --agent claude-code
`;

/** `trackway import sessions`: imports the sessions that agents store in files. */
export const createImportSessionsCommand = (): Command =>
  new Command("sessions")
    .description("import past sessions of agents from the files of the agents")
    .argument("[path]", "a file or folder, instead of the folders of the agents")
    .option("--dry-run", "list the sessions with times and folders, and import nothing")
    .addOption(
      new Option("--since <date>", "only files written since this time, such as 2026-01-31 or 90d").argParser((text) =>
        Date.parse(parseTimeOption(text)),
      ),
    )
    .addOption(new Option("--agent <name>", "only sessions of this agent; can be repeated").argParser(agentNamed))
    .option("--again", "read all files from the beginning, not only new lines")
    .option("--skip-unknown", "exit with 0 even if files of an unknown format are left out")
    .option("--watch", "then watch the files of agents without hooks, or of each --agent, until interrupted")
    .option("--json", "print one line of JSON, described in docs/recording.md")
    .addHelpText("after", AFTER)
    .action((path: string | undefined, options: Options) => run(path, options));

function agentNamed(name: string, before: string[] | undefined): string[] {
  if (SESSION_SOURCES.some((source) => source.name === name)) return collectValues(name, before);
  throw new InvalidArgumentError(`Use one of ${SESSION_SOURCES.map((source) => source.name).join(", ")}.`);
}

async function run(path: string | undefined, options: Options): Promise<void> {
  const places = readUserEnvironment();
  const wanted: FileSelection = { path, agents: options.agent ?? [], since: options.since };
  const { found: files, skipped } = await findSessionFiles(places, wanted);
  if (options.dryRun) {
    const found = await summarizeFiles(files);
    printResult(options.json, { dryRun: true, found }, () => foundLines(found));
    return;
  }
  const { url, ingestKey, end } = await obtainImportAccess(places);
  const bar = startProgress("Importing sessions", options.json ? false : undefined);
  const report = new SessionImportReport(bar.tell);
  report.skip(skipped);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    const onWait = (seconds: number) => bar.tell(`The server asks the command to wait ${seconds} s.`);
    const positions = await readPositions(places, `${url} ${places.env["HOME"] ?? ""}`, options.again ?? false);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const state: SessionImportState = {
      target: { url, ingestKey, onWait },
      positions,
      report,
      bar,
      size,
      read: 0,
      stop: stop.signal,
    };
    await importSessionFiles(state, files);
    if (options.watch) await follow(state, places, wanted);
  } finally {
    process.off("SIGINT", interrupt);
    bar.end();
    await end().catch(() =>
      printToStderr("The key that was created for this import could not be deleted. Delete the key in the settings."),
    );
  }
  printResult(options.json, { dryRun: false, ...report.shown() }, () => report.lines());
  if (report.badLines > 0 || (skipped.length > 0 && !options.skipUnknown)) process.exitCode = EXIT_CODES.failed;
}

/**
 * Pause between two searches for new lines: RESTS times the duration of the last search for files, but at least
 * LEAST_MS milliseconds. A search among more files takes longer, so the pause is longer too.
 */
const RESTS = 10;
const LEAST_MS = 1_000;

/**
 * Watches files until the command is interrupted. Each round sends the lines that were written since the previous
 * round.
 */
async function follow(run: SessionImportState, places: UserEnvironment, wanted: FileSelection): Promise<void> {
  const watched = SESSION_SOURCES.filter((source) => source.watched).map(({ name }) => name);
  const agents = wanted.agents.length > 0 ? wanted.agents : watched;
  for (let took = 0; !run.stop.aborted; ) {
    await sleep(Math.max(LEAST_MS, RESTS * took), undefined, { signal: run.stop }).catch(() => {});
    const began = performance.now();
    const { found: files } = await findSessionFiles(places, { ...wanted, agents });
    took = performance.now() - began;
    await importSessionFiles(run, files);
  }
}

function foundLines(found: readonly SessionFilesSummary[]): string[] {
  if (found.length === 0) return ["No sessions were found."];
  const day = (time: string | null) => time?.slice(0, 10) ?? "?";
  const total = found.reduce((sum, { sessions }) => sum + sessions, 0);
  return [
    ...found.map(
      ({ agent, project, sessions, from, to }) =>
        `${agent}  ${sessions}  ${day(from)} to ${day(to)}  ${project || "?"}`,
    ),
    `${total} sessions in ${found.length} folders. Nothing was imported.`,
  ];
}
