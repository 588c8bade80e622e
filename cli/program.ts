import { Command } from "commander";
import { connectCommand } from "./commands/connect.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { loginCommand } from "./commands/login.ts";
import { logoutCommand } from "./commands/logout.ts";
import { whoamiCommand } from "./commands/whoami.ts";
import { VERSION } from "./version.ts";

const AFTER = `
Environment:
  TRACKWAY_URL         where Trackway answers; the server you logged in to, else http://127.0.0.1:4000
  TRACKWAY_API_KEY     a personal key (trk_api_...) in the place of a login
  TRACKWAY_INGEST_KEY  an ingest key (sk_...) for connect, in the place of one that connect makes
  TRACKWAY_PASSWORD    the password for login; without it login asks, or reads --password-stdin

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, 5 no access.
Keys are never given on the command line, where others on the machine could read them.
`;

/** The command line with all of its commands. A command is a file of its own in commands/, and a line here. */
export function createProgram(): Command {
  const program = new Command("trackway")
    .description("An issue tracker and a flight recorder for AI agents.")
    .version(VERSION)
    .addHelpText("after", AFTER);
  for (const command of [loginCommand(), logoutCommand(), whoamiCommand(), connectCommand(), doctorCommand()])
    program.addCommand(command);
  for (const command of [program, ...program.commands]) makeTerse(command);
  return program;
}

/** A wrong command line is told in one line, with what helps, and ends with exit code 2. */
function makeTerse(command: Command): void {
  const help = command.parent ? `trackway ${command.name()} --help` : "trackway --help";
  command.exitOverride().configureOutput({
    outputError: (text, write) =>
      write(
        `trackway: ${text
          .replace(/^error: /, "")
          .replaceAll(/\s*\n\s*/g, " ")
          .trim()} try: ${help}\n`,
      ),
  });
}
