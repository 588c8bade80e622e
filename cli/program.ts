import { Command } from "commander";
import { sentence } from "./api/words.ts";
import { exportCommand } from "./commands/data/export.ts";
import { importCommand } from "./commands/data/import.ts";
import { completionCommand } from "./commands/machine/completion.ts";
import { connectCommand } from "./commands/machine/connect.ts";
import { doctorCommand } from "./commands/machine/doctor.ts";
import { loginCommand } from "./commands/machine/login.ts";
import { logoutCommand } from "./commands/machine/logout.ts";
import { whoamiCommand } from "./commands/machine/whoami.ts";
import { sessionCommand } from "./commands/recorded/session.ts";
import { sessionsCommand } from "./commands/recorded/sessions.ts";
import { claimCommand } from "./commands/work/claim.ts";
import { commentCommand } from "./commands/work/comment.ts";
import { createCommand } from "./commands/work/create.ts";
import { doneCommand } from "./commands/work/done.ts";
import { primeCommand } from "./commands/work/prime.ts";
import { readyCommand } from "./commands/work/ready.ts";
import { releaseCommand } from "./commands/work/release.ts";
import { searchCommand } from "./commands/work/search.ts";
import { showCommand } from "./commands/work/show.ts";
import { unlinkCommand } from "./commands/work/unlink.ts";
import { updateCommand } from "./commands/work/update.ts";
import { Failure, lineOf } from "./failure.ts";
import { VERSION } from "./version.ts";

const MACHINE = "This machine:";

/** Every command under the heading it is listed by. A command is a file below commands/ and a line here. */
const COMMANDS: Record<string, (() => Command)[]> = {
  "Work:": [
    primeCommand,
    readyCommand,
    claimCommand,
    showCommand,
    commentCommand,
    createCommand,
    updateCommand,
    unlinkCommand,
    doneCommand,
    releaseCommand,
    searchCommand,
  ],
  "What agents did:": [sessionsCommand, sessionCommand],
  "In and out:": [importCommand, exportCommand],
  [MACHINE]: [loginCommand, logoutCommand, whoamiCommand, connectCommand, doctorCommand, completionCommand],
};

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
  TRACKWAY_TEAM        key of the team to work in, in the place of --team
  TRACKWAY_SESSION     the recorded session of your claims, in the place of --session
  TRACKWAY_INGEST_KEY  an ingest key (sk_...) for connect, in the place of one that connect makes
  TRACKWAY_PASSWORD    the password for login; without it login asks, or reads --password-stdin

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, 5 no access.
Keys are never given on the command line, where others on the machine could read them.
`;

/** The command line with all of its commands. */
export function createProgram(): Command {
  const program = new Command("trackway")
    .description("An issue tracker and a flight recorder for AI agents.")
    .version(VERSION)
    .addHelpCommand(
      new Command("help").argument("[command]").description("say how a command is used").helpGroup(MACHINE),
    )
    .addHelpText("after", AFTER);
  for (const [heading, commands] of Object.entries(COMMANDS))
    for (const command of commands) program.addCommand(command().helpGroup(heading));
  for (const command of [program, ...program.commands]) makeTerse(command);
  return program;
}

/** A wrong command line is reported in one line, with what helps, and ends with exit code 2. */
function makeTerse(command: Command): void {
  const help = command.parent ? `trackway ${command.name()} --help` : "trackway --help";
  command.exitOverride().configureOutput({
    getOutHelpWidth: () => process.stdout.columns ?? 120,
    outputError: (text, write) => write(lineOf(new Failure(inUsersWords(text), { cure: help }))),
  });
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
