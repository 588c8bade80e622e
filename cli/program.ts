import { Command } from "commander";
import { toSentence } from "./api/request.ts";
import { COMMAND_LOADERS_BY_HEADING, MACHINE_HEADING } from "./commands.ts";
import { CommandFailure, EXIT_CODES, formatFailure } from "./failure.ts";
import { findEquivalentOption } from "./hints.ts";
import { VERSION } from "./version.ts";

const AFTER = `
Show the help of a command: trackway ready --help. Most commands accept --json.

An agent's work:
  trackway ready --claim                                  claim and show the best ready issue
  trackway comment ISSUE TEXT                             comment on the progress
  trackway create TITLE --discovered-from ISSUE           create an issue for a problem that you find
  trackway done ISSUE --message TEXT                      complete the issue; if you cannot finish: release ISSUE

Environment:
  TRACKWAY_URL         address of the server; default: the server of your login. With TRACKWAY_API_KEY, or without a
                       login, the default is http://127.0.0.1:4000
  TRACKWAY_API_KEY     personal key (trk_api_...), used instead of a login
  TRACKWAY_TEAM        key of the default team, like --team; otherwise "team" in .trackway.json of the folder
  TRACKWAY_SESSION     recorded session for your claims, like --session
  TRACKWAY_INGEST_KEY  ingest key (sk_...) for connect; without it, connect creates a key
  TRACKWAY_PASSWORD    password for login; without it, login asks or reads --password-stdin

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, 5 no access.
Never pass keys on the command line, because other users of the machine can read them.
`;

/** Commands that need the descriptions of all other commands. */
const KNOW_ALL = ["completion", "help"];

/** The commands that this run of the command line needs. */
interface Asked {
  /** Name of the only command to load. */
  only?: string | undefined;
  /** True if errors are printed as JSON. */
  json?: boolean;
}

/**
 * Creates the command-line parser. Loads only the command `only` if this command is given and needs no other commands;
 * otherwise loads all commands.
 */
export async function createCommandLineParser({ only, json = false }: Asked = {}): Promise<Command> {
  const program = new Command("trackway")
    .description("An issue tracker and a flight recorder for AI agents.")
    .version(VERSION)
    .addHelpCommand(
      new Command("help").argument("[command]").description("show the help of a command").helpGroup(MACHINE_HEADING),
    )
    .addHelpText("after", AFTER)
    // Options after the name of a command belong to that command. `import sessions` requires this.
    .enablePositionalOptions()
    .hook("preAction", (_, command) => refuseEmpty(command));
  const isNeeded = (name: string) => only === undefined || KNOW_ALL.includes(only) || name === only;
  for (const [heading, commands] of Object.entries(COMMAND_LOADERS_BY_HEADING))
    for (const [name, load] of Object.entries(commands))
      if (isNeeded(name)) program.addCommand((await load()).helpGroup(heading));
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])])
    makeTerse(command, json);
  return program;
}

/** Returns the names of a command and its parents. */
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Makes the parser report an invalid command line in one line with a fix, and end with exit code 2. */
function makeTerse(command: Command, json: boolean): void {
  const help = command.parent ? `trackway ${pathOf(command)} --help` : "trackway --help";
  command.exitOverride().configureOutput({
    getOutHelpWidth: () => process.stdout.columns ?? 120,
    outputError: (text, write) =>
      write(
        formatFailure(
          new CommandFailure(inUsersWords(text), { exit: EXIT_CODES.usage, cure: findEquivalentOption(text) ?? help }),
          json,
        ),
      ),
  });
}

/** Options that accept an empty text. All other options select or name something. */
const MAY_BE_EMPTY = ["description"];

/**
 * Rejects empty values of options, because an empty value would match everything or be ignored. An empty environment
 * variable counts as unset.
 */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const empty = [command.getOptionValue(name)].flat().some((value) => typeof value === "string" && !value.trim());
    if (!empty || MAY_BE_EMPTY.includes(name)) continue;
    if (command.getOptionValueSource(name) === "env") command.setOptionValueWithSource(name, undefined, "default");
    else command.error(`error: option '${option.flags}' argument '' is invalid. Give a value, or remove the option.`);
  }
}

/** Converts an error message of the parser library to a sentence about the option or argument. */
const inUsersWords = (text: string): string =>
  toSentence(
    text
      .trim()
      .replace(/^error: /, "")
      .replace(/^command-argument value '([\s\S]*?)' is invalid for argument '(\w+)'\./, '<$2> cannot be "$1".')
      .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '([\s\S]*?)' is invalid\./, '$1 cannot be "$2".')
      .replace(
        /^option '(?:-\w, )?(--[\w-]+)[^']*' value '([\s\S]*?)' from env '(\w+)' is invalid\./,
        '$3 cannot be "$2".',
      )
      .replaceAll("\n", " "),
  );
