import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { toComparableName } from "../../../formats/names.ts";
import { type ApiCredentials, fetchOwnerContacts, readViewer } from "../../api/graphql.ts";
import { requireLogin } from "../../credentials/access.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { readUserEnvironment } from "../../files/places.ts";
import { FORMATS } from "../../import/formats/formats.ts";
import { importFile } from "../../import/import.ts";
import { formatReport } from "../../import/report.ts";
import type { ImportFormat, ImportSettings } from "../../import/row.ts";
import { collectValues } from "../../options.ts";
import { printJson, printLines } from "../../output/print.ts";
import { createImportSessionsCommand } from "./import-sessions.ts";

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
Formats and their sources:
${FORMATS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join("\n")}

The import keeps dates, authors, comments, parents, relations, labels and states. Commands accept the original identifiers:
trackway show SITE-7. Existing rows do not change, so you can run an interrupted import again. The command reports each
rejected row with the column and a fix, imports the other rows, and ends with exit code 1. Only owners can import.
docs/import.md describes every column.
Examples:
  trackway import linear-csv issues.csv --dry-run
  trackway import github-json issues.json --team ENG
  trackway import jira-csv export.csv --state "Waiting for customer=In Progress" --offset +02:00
`;

/** `trackway import`: imports the issues of another tracker. */
export const createImportCommand = (): Command =>
  new Command("import")
    .description("import issues from another tracker")
    .addArgument(formatArgument())
    .argument("<file>", "path of the file")
    .option("--dry-run", "show the result for each row, and import nothing")
    .option("--team <key>", "team to import into; required if the file does not contain the team")
    .option("--source <name>", "name of the source in which ids are unique; default: the name of the tracker")
    .addOption(
      new Option("--state <name=state>", "map a state of the file to a state of Trackway; can be repeated").argParser(
        collectValues,
      ),
    )
    .addOption(
      new Option("--offset <+hh:mm>", "offset of the times in the file from UTC").argParser(offset).default(0, "UTC"),
    )
    .addOption(
      new Option("--dates <order>", "order of day and month in dates such as 3/4/2026").choices(["dmy", "mdy"]),
    )
    .option("--json", "print one line of JSON, described in docs/import.md")
    .addHelpText("after", AFTER)
    .action(run)
    .enablePositionalOptions()
    .addCommand(createImportSessionsCommand());

/**
 * Calls `choices` before `argParser`, because `choices` sets its own parser and would replace ours. `choices` is needed
 * for shell completion.
 */
const formatArgument = (): Argument =>
  new Argument("<format>", "format of the file").choices(FORMATS.map(({ name }) => name)).argParser(formatNamed);

function formatNamed(name: string): ImportFormat {
  const found = FORMATS.find((format) => format.name === name);
  if (found) return found;
  throw new InvalidArgumentError(`Use one of ${FORMATS.map((format) => format.name).join(", ")}.`);
}

function offset(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  if (!sign) throw new InvalidArgumentError("Use an offset such as +02:00 or -05:30.");
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

async function run(format: ImportFormat, file: string, options: Options): Promise<void> {
  const caller = await requireLogin(readUserEnvironment());
  await checkOwner(caller);
  const [dryRun, json] = [options.dryRun ?? false, options.json ?? false];
  const report = await importFile({ caller, format, file, settings: settingsOf(format, options), dryRun, json });
  if (json) printJson({ file, format: format.name, dryRun, ...report });
  else printLines(...formatReport(report, { dryRun, file }));
  if (report.refused > 0) process.exitCode = EXIT_CODES.failed;
}

/** Called before the file is read. @throws CommandFailure if the user is not an owner */
async function checkOwner(caller: ApiCredentials): Promise<void> {
  const { viewer, organization } = await readViewer(caller);
  if (viewer.owner) return;
  const owners = await fetchOwnerContacts(caller);
  throw new CommandFailure(`Only owners of ${organization.name} can import, and ${viewer.name} is not an owner.`, {
    exit: EXIT_CODES.noAccess,
    cure: `ask ${owners.join(" or ")}`,
  });
}

function settingsOf(format: ImportFormat, { team, source, state = [], offset: ahead, dates }: Options): ImportSettings {
  const pairs = state.map((pair) => {
    const [, from, to] = /^(.+)=([^=]+)$/.exec(pair) ?? [];
    if (!from || !to)
      throw new CommandFailure(`--state cannot be "${pair}".`, {
        exit: EXIT_CODES.usage,
        cure: '--state "Their name=Our name"',
      });
    return [toComparableName(from.trim()), to.trim()] as const;
  });
  return { source: source ?? format.source, team: team?.toUpperCase(), states: new Map(pairs), offset: ahead, dates };
}
