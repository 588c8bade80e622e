import { readOwn } from "../../formats/own.ts";

/** The arguments of each command and what it does, a line each. */
const COMMANDS: Readonly<Record<string, readonly [args: string, does: string]>> = {
  list: ["[accounts|organizations|members|keys|ingest-keys|connections|logins|audit]", "lists the newest 1,000"],
  "create-owner": [
    "EMAIL --organization NAME [--url-key KEY]",
    "makes an organization, a team and its owner, and prints a link to sign in once",
  ],
  "reset-password": ["EMAIL", "prints a new password, ends the account's logins"],
  "allow-passwords": ["URLKEY", "lets passwords open an organization again that demands its OpenID provider"],
  "create-key": ["EMAIL URLKEY [LABEL] [--days N]", "prints a personal key of that member"],
  "create-ingest-key": ["URLKEY [NAME]", "prints an ingest key of that organization"],
  revoke: ["ID|EMAIL", "ends a key or a login, or all that an account has"],
  "delete-organization": ["URLKEY URLKEY", "deletes it for good, with all that was recorded; named twice to be sure"],
  "delete-account": [
    "EMAIL EMAIL",
    "deletes it with its name and address; what it wrote stays. Named twice to be sure",
  ],
  "purge-files": ["", "takes what was deleted out of the database's files too; writers wait meanwhile"],
  redact: [
    "--since WHEN [--organization ID] [--apply]",
    "takes secrets out of what is stored; says first what it would take out",
  ],
  refold: [
    "SESSION | --source SOURCE --since WHEN",
    "makes the events of sessions anew from what hooks and telemetry reported of them",
  ],
  preflight: [
    "[--servers N] [--json]",
    "says what would stop a start or an upgrade of this build, and changes nothing; exit code 1 where something would",
  ],
  distribute: ["[--apply]", "spreads the tables over the nodes of Citus; says first what it would do"],
};

/** The usage of the command line; shown for anything it does not know. */
export const USAGE = [
  "npm run admin -- COMMAND",
  "",
  ...Object.entries(COMMANDS).map(([name, [args, does]]) => `  ${name} ${args}\n      ${does}`),
].join("\n");

/** The usage of one command, or of all. */
export function usageOf(name: string | undefined): string {
  const [args, does] = readOwn(COMMANDS, name ?? "") ?? [];
  return args === undefined ? USAGE : `npm run admin -- ${name} ${args}\n\n${does}`;
}
