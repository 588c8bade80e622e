import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT } from "../../failure.ts";
import { type Places, placesOf } from "../../files/places.ts";
import { startProgress } from "../../import/progress.ts";
import { gathered, moment } from "../../options.ts";
import { answer, tell } from "../../output/print.ts";
import { findFiles, type Wanted } from "../../transcripts/find.ts";
import { importFiles, type Run } from "../../transcripts/import.ts";
import { importAccess } from "../../transcripts/key.ts";
import { readPositions } from "../../transcripts/lines.ts";
import { Report, type Surveyed, survey } from "../../transcripts/report.ts";
import { SOURCES } from "../../transcripts/sources.ts";

interface Options {
  agent?: string[];
  since?: number;
  dryRun?: true;
  again?: true;
  watch?: true;
  json?: true;
}

const AFTER = `
Sessions are found where agents keep them, or below PATH: ${SOURCES.map(({ name }) => name).join(", ")}.

A session that was recorded while it ran stays one session: what was missed is completed, and nothing is doubled. An
import that was cut off goes on where it was. Images are not sent; their type and size are. Secrets are taken out before
anything is stored. A line that cannot be read is named with its file, and the exit code is 1. docs/recording.md says more.
Examples:
  trackway import sessions --dry-run
  trackway import sessions --since 90d
  trackway import sessions ~/backup/claude --agent claude-code
`;

/** `trackway import sessions`: takes over the sessions that agents keep in files. */
export const importSessionsCommand = (): Command =>
  new Command("sessions")
    .description("import the past sessions of agents, from the files in which they keep them")
    .argument("[path]", "a file or a folder, instead of the agents' own folders")
    .option("--dry-run", "only say which sessions there are, from when to when, in which folders")
    .addOption(
      new Option("--since <date>", "only files that were written since: 2026-01-31, or 90d").argParser((text) =>
        Date.parse(moment(text)),
      ),
    )
    .addOption(new Option("--agent <name>", "only of this agent; may come several times").argParser(agentNamed))
    .option("--again", "read all files from their beginning, not only what is new")
    .option("--watch", "then follow the files of agents that have no hooks, or of each --agent, until interrupted")
    .option("--json", "answer one line of JSON, as docs/recording.md describes")
    .addHelpText("after", AFTER)
    .action((path: string | undefined, options: Options) => run(path, options));

function agentNamed(name: string, before: string[] | undefined): string[] {
  if (SOURCES.some((source) => source.name === name)) return gathered(name, before);
  throw new InvalidArgumentError(`It is one of ${SOURCES.map((source) => source.name).join(", ")}.`);
}

async function run(path: string | undefined, options: Options): Promise<void> {
  const places = placesOf();
  const wanted: Wanted = { path, agents: options.agent ?? [], since: options.since };
  const files = await findFiles(places, wanted);
  if (options.dryRun) {
    const found = await survey(files);
    answer(options.json, { dryRun: true, found }, () => foundLines(found));
    return;
  }
  const { url, ingestKey, end } = await importAccess(places);
  const bar = startProgress("Importing sessions", options.json ? false : undefined);
  const report = new Report(bar.tell);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    const onWait = (seconds: number) => bar.tell(`The server asks to wait ${seconds} s.`);
    const positions = await readPositions(places, `${url} ${places.env["HOME"] ?? ""}`, options.again ?? false);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const state: Run = { target: { url, ingestKey, onWait }, positions, report, bar, size, read: 0, stop: stop.signal };
    await importFiles(state, files);
    if (options.watch) await follow(state, places, wanted);
  } finally {
    process.off("SIGINT", interrupt);
    bar.end();
    await end().catch(() => tell("The key that was made for this import could not be deleted: see the settings."));
  }
  answer(options.json, { dryRun: false, ...report.shown() }, () => report.lines());
  if (report.badLines > 0) process.exitCode = EXIT.failed;
}

/** A round rests so many times as long as it took, and this long at least: the more files there are, the longer. */
const RESTS = 10;
const LEAST_MS = 1_000;

/** Follows files until it is interrupted: each round sends what was written since the one before. */
async function follow(run: Run, places: Places, wanted: Wanted): Promise<void> {
  const watched = SOURCES.filter((source) => source.watched).map(({ name }) => name);
  const agents = wanted.agents.length > 0 ? wanted.agents : watched;
  for (let took = 0; !run.stop.aborted; ) {
    await sleep(Math.max(LEAST_MS, RESTS * took), undefined, { signal: run.stop }).catch(() => {});
    const began = performance.now();
    const files = await findFiles(places, { ...wanted, agents });
    took = performance.now() - began;
    await importFiles(run, files);
  }
}

function foundLines(found: readonly Surveyed[]): string[] {
  if (found.length === 0) return ["No sessions were found."];
  const day = (time: string | null) => time?.slice(0, 10) ?? "?";
  const total = found.reduce((sum, { sessions }) => sum + sessions, 0);
  return [
    ...found.map(
      ({ agent, project, sessions, from, to }) =>
        `${agent}  ${sessions}  ${day(from)} to ${day(to)}  ${project || "?"}`,
    ),
    `${total} sessions in ${found.length} folders. Nothing was sent.`,
  ];
}
