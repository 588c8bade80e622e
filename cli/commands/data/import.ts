import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { type Caller, ownersOf, whoIs } from "../../api/graphql.ts";
import { loginOf } from "../../credentials/access.ts";
import { EXIT, Failure } from "../../failure.ts";
import { placesOf } from "../../files/places.ts";
import { FORMATS } from "../../import/formats/formats.ts";
import { importFile } from "../../import/import.ts";
import { reportLines } from "../../import/report.ts";
import type { Format, Settings } from "../../import/row.ts";
import { gathered } from "../../options.ts";
import { print, printJson } from "../../output/print.ts";
import { importSessionsCommand } from "./import-sessions.ts";

interface Options {
  team?: string;
  source?: string;
  state?: string[];
  offset: number;
  dates?: "dmy" | "mdy";
  dryRun?: true;
  json?: true;
}

const AFTER = `
Formats, and where their files come from:
${FORMATS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join("\n")}

Dates, authors, comments, parents, relations, labels and states are kept, and the original identifiers still resolve:
trackway show SITE-7. What is there already stays as it is, so an import that was cut off is begun again and goes on.
A row that is wrong is reported with its column and what to do, and harms no other. Exit code 1 if any was refused.
Only owners may import. docs/import.md has every column, and how each is read.
Examples:
  trackway import linear-csv issues.csv --dry-run
  trackway import github-json issues.json --team ENG
  trackway import jira-csv export.csv --state "Waiting for customer=In Progress" --offset +02:00
`;

/** `trackway import`: takes over the issues of another tracker. */
export const importCommand = (): Command =>
  new Command("import")
    .description("import issues from another tracker, with all their history says")
    .addArgument(formatArgument())
    .argument("<file>", "the file")
    .option("--dry-run", "only say what would become of each row")
    .option("--team <key>", "the team to import into; needed where the file names none")
    .option("--source <name>", "where the file comes from, in which its ids are unique; by default the tracker's name")
    .addOption(new Option("--state <name=state>", "a state's name here; may come several times").argParser(gathered))
    .addOption(
      new Option("--offset <+hh:mm>", "how far the file's clock is ahead of UTC").argParser(offset).default(0, "UTC"),
    )
    .addOption(new Option("--dates <order>", "of days and months in dates such as 3/4/2026").choices(["dmy", "mdy"]))
    .option("--json", "answer one line of JSON, as docs/import.md describes")
    .addHelpText("after", AFTER)
    .action(run)
    .enablePositionalOptions()
    .addCommand(importSessionsCommand());

/** Its choices are for completion; what it is parsed by comes after them. */
const formatArgument = (): Argument =>
  new Argument("<format>", "what the file is").choices(FORMATS.map(({ name }) => name)).argParser(formatNamed);

function formatNamed(name: string): Format {
  const found = FORMATS.find((format) => format.name === name);
  if (found) return found;
  throw new InvalidArgumentError(`It is one of ${FORMATS.map((format) => format.name).join(", ")}.`);
}

function offset(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  if (!sign) throw new InvalidArgumentError("It is like +02:00 or -05:30.");
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

async function run(format: Format, file: string, options: Options): Promise<void> {
  const caller = await loginOf(placesOf());
  await checkOwner(caller);
  const [dryRun, json] = [options.dryRun ?? false, options.json ?? false];
  const report = await importFile({ caller, format, file, settings: settingsOf(format, options), dryRun, json });
  if (json) printJson({ file, format: format.name, dryRun, ...report });
  else print(...reportLines(report, { dryRun, file }));
  if (report.refused > 0) process.exitCode = EXIT.failed;
}

/** @throws Failure for who is no owner, before anything is read */
async function checkOwner(caller: Caller): Promise<void> {
  const { viewer, organization } = await whoIs(caller);
  if (viewer.owner) return;
  const owners = await ownersOf(caller);
  throw new Failure(`Only owners of ${organization.name} may import, and ${viewer.name} is none.`, {
    exit: EXIT.noAccess,
    cure: `ask ${owners.join(" or ")}`,
  });
}

function settingsOf(format: Format, { team, source, state = [], offset: ahead, dates }: Options): Settings {
  const pairs = state.map((pair) => {
    const [, from, to] = /^(.+)=([^=]+)$/.exec(pair) ?? [];
    if (!from || !to)
      throw new Failure(`--state cannot be "${pair}".`, { exit: EXIT.usage, cure: '--state "Their name=Our name"' });
    return [from.trim().toLowerCase(), to.trim()] as const;
  });
  return { source: source ?? format.source, team: team?.toUpperCase(), states: new Map(pairs), offset: ahead, dates };
}
