import { Command } from "commander";
import { sentence } from "./api/request.ts";
import { COMMANDS, MACHINE } from "./commands.ts";
import { EXIT, Failure, lineOf } from "./failure.ts";
import { optionHint } from "./hints.ts";
import { VERSION } from "./version.ts";

const AFTER = `
Each command has help of its own: trackway ready --help. Most take --json.

An agent's round:
  trackway ready --claim                                  take the best issue, and read it
  trackway comment ISSUE TEXT                             say how it goes
  trackway create TITLE --discovered-from ISSUE           file what is found on the way
  trackway done ISSUE --message TEXT                      close it; or release ISSUE, to give it back

Environment:
  TRACKWAY_URL         where Trackway answers. Else the server you logged in to; with TRACKWAY_API_KEY or without a
                       login http://127.0.0.1:4000
  TRACKWAY_API_KEY     a personal key (trk_api_...) in the place of a login
  TRACKWAY_TEAM        key of the team to work in, in the place of --team; else "team" of the folder's .trackway.json
  TRACKWAY_SESSION     the recorded session of your claims, in the place of --session
  TRACKWAY_INGEST_KEY  an ingest key (sk_...) for connect, in the place of one that connect makes
  TRACKWAY_PASSWORD    the password for login; without it login asks, or reads --password-stdin

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, 5 no access.
Keys are never given on the command line, where others on the machine could read them.
`;

/** Commands that describe every other one. */
const KNOW_ALL = ["completion", "help"];

/** The part of the program that a command line needs. */
interface Asked {
  /** The name of the only command that is needed. */
  only?: string | undefined;
  /** True if errors are to be JSON. */
  json?: boolean;
}

/** The command line with all of its commands, or with the only one that is needed. */
export async function createProgram({ only, json = false }: Asked = {}): Promise<Command> {
  const program = new Command("trackway")
    .description("An issue tracker and a flight recorder for AI agents.")
    .version(VERSION)
    .addHelpCommand(
      new Command("help").argument("[command]").description("say how a command is used").helpGroup(MACHINE),
    )
    .addHelpText("after", AFTER)
    // Options behind the name of a command are that command's, which `import sessions` needs.
    .enablePositionalOptions()
    .hook("preAction", (_, command) => refuseEmpty(command));
  const isNeeded = (name: string) => only === undefined || KNOW_ALL.includes(only) || name === only;
  for (const [heading, commands] of Object.entries(COMMANDS))
    for (const [name, load] of Object.entries(commands))
      if (isNeeded(name)) program.addCommand((await load()).helpGroup(heading));
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])])
    makeTerse(command, json);
  return program;
}

/** The names of a command and those above it. */
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** A wrong command line is reported in one line, with what helps, and ends with exit code 2. */
function makeTerse(command: Command, json: boolean): void {
  const help = command.parent ? `trackway ${pathOf(command)} --help` : "trackway --help";
  command.exitOverride().configureOutput({
    getOutHelpWidth: () => process.stdout.columns ?? 120,
    outputError: (text, write) =>
      write(lineOf(new Failure(inUsersWords(text), { exit: EXIT.usage, cure: optionHint(text) ?? help }), json)),
  });
}

/** Options that take any text, and none too. Every other one chooses or names something. */
const MAY_BE_EMPTY = ["description"];

/**
 * An empty text names nothing: it would mean everything, or be left out. A variable of the environment that is empty is not set.
 */
function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const empty = [command.getOptionValue(name)].flat().some((value) => typeof value === "string" && !value.trim());
    if (!empty || MAY_BE_EMPTY.includes(name)) continue;
    if (command.getOptionValueSource(name) === "env") command.setOptionValueWithSource(name, undefined, "default");
    else command.error(`error: option '${option.flags}' argument '' is invalid. Leave it out, or say which.`);
  }
}

/** The library's words about a wrong value, as a sentence about the option or the argument. */
const inUsersWords = (text: string): string =>
  sentence(
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
