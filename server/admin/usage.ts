import { getOwnProperty } from "../../formats/own.ts";

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
  "delete-organization": [
    "URLKEY [URLKEY]",
    "shows what it will delete, and asks at a terminal; named twice, deletes it for good with all that was recorded",
  ],
  "delete-account": [
    "EMAIL [EMAIL]",
    "shows what it will delete, and asks at a terminal; named twice, deletes it. What it wrote stays",
  ],
  "purge-files": [
    "[--yes]",
    "takes what was deleted out of the database's files too; writers wait meanwhile. Asks at a terminal",
  ],
  redact: [
    "--since WHEN [--organization ID] [--apply [--yes]]",
    "shows the secrets in what is stored; --apply takes them out, and asks at a terminal",
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

/** The usage text of all commands; shown for an unknown command. */
export const ADMIN_USAGE_TEXT = [
  "npm run admin -- COMMAND",
  "",
  ...Object.entries(COMMANDS).map(([name, [args, does]]) => `  ${name} ${args}\n      ${does}`),
].join("\n");

/** The usage text of one command, or of all commands. */
export function getUsageText(name: string | undefined): string {
  const [args, does] = getOwnProperty(COMMANDS, name ?? "") ?? [];
  return args === undefined ? ADMIN_USAGE_TEXT : `npm run admin -- ${name} ${args}\n\n${does}`;
}
