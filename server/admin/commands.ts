import { randomBytes } from "node:crypto";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { audit } from "../accounts/audit.ts";
import { createIngestKey } from "../accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../accounts/keys/personal-key.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { hashPassword } from "../auth/password.ts";
import { inputError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { deleteOrganizationNamed } from "./delete-organization.ts";
import { list } from "./list.ts";
import { redactStored } from "./redact/redact.ts";
import { endLogins, revoke } from "./revoke.ts";

/** The usage of the command line; shown for anything it does not know. */
export const USAGE = `npm run admin -- COMMAND

  list [accounts|organizations|members|keys|ingest-keys|logins|audit]
  reset-password EMAIL                    prints a new password, ends the account's logins
  create-key EMAIL URLKEY [LABEL]         prints a personal key of that member
  create-ingest-key URLKEY [NAME]         prints an ingest key of that organization
  revoke ID|EMAIL                         ends a key or a login, or all that an account has
  delete-organization URLKEY URLKEY       deletes it for good, with all that was recorded; named twice to be sure
  redact --since WHEN [--organization ID] [--apply]
                                          takes secrets out of what is stored; says first what it would take out
  distribute [--apply]                    spreads the tables over the nodes of Citus; says first what it would do`;

/** The parts of the server that commands work with. */
export type Means = Pick<Runtime, "config" | "db" | "publicUrl" | "secret">;

type Command = (db: Database, args: string[], means: Means) => Promise<string>;

const COMMANDS: Record<string, Command> = {
  list: (db, [what]) => list(db, what),
  "reset-password": resetPassword,
  "create-key": createKey,
  "create-ingest-key": createIngest,
  revoke: (db, [what]) => revoke(db, given(what, "ID or EMAIL")),
  "delete-organization": (db, [urlKey, repeated]) => deleteOrganizationNamed(db, given(urlKey, "URLKEY"), repeated),
  redact: (_db, args, means) => redactStored(means, args),
};

/**
 * Runs one administrative command. Its callers may do everything.
 * @returns the text to print. @throws inputError for an unknown command or argument.
 */
export async function runCommand(means: Means, [name = "", ...args]: string[]): Promise<string> {
  const command = COMMANDS[name];
  if (!command) throw inputError(`no command ${name || "was given"}\n\n${USAGE}`);
  return command(means.db, args, means);
}

async function resetPassword(db: Database, [email]: string[]): Promise<string> {
  const address = given(email, "EMAIL").toLowerCase();
  const password = randomBytes(15).toString("base64url");
  const passwordHash = await hashPassword(password);
  await db.transaction(async (trx) => {
    const change = knex("account").where({ email: address }).update({ passwordHash }, "id");
    const [account] = await trx.query<{ id: string }>(toStatement(change));
    if (!account) throw inputError(`no account has the address ${address}`);
    await trx.query(toStatement(endLogins({ accountId: account.id })));
    await audit(trx, { event: "password.reset", accountId: account.id, detail: { by: "admin" } });
  });
  credentialsRevoked(db);
  return `${address} has the password ${password}\nIts logins have ended.`;
}

async function createKey(db: Database, [email, urlKey, label = "admin"]: string[]): Promise<string> {
  const named = members({ "o.urlKey": given(urlKey, "URLKEY") })
    .join("account as a", "a.id", "u.accountId")
    .where("a.email", given(email, "EMAIL").toLowerCase());
  const [member] = await db.query<{ organizationId: string; userId: string }>(toStatement(named));
  if (!member) throw inputError(`${email} is no member of ${urlKey}`);
  const { id, token } = await createPersonalKey(db, { ...member, label });
  return `${token}\n(id ${id}, label ${label}; shown this once)`;
}

const members = (which: Record<string, string>) =>
  knex("user as u")
    .join("organization as o", "o.id", "u.organizationId")
    .where({ ...which, "u.active": true })
    .select("u.organizationId", "u.id as userId");

async function createIngest(db: Database, [urlKey, name = "admin"]: string[]): Promise<string> {
  const owners = members({ "o.urlKey": given(urlKey, "URLKEY"), "u.role": "owner" });
  const [owner] = await db.query<{ organizationId: string; userId: string }>(
    toStatement(owners.orderBy("u.id").limit(1)),
  );
  if (!owner) throw inputError(`there is no organization ${urlKey}`);
  const { id, key } = await createIngestKey(db, { ...owner, name });
  return `${key}\n(id ${id}, name ${name}; shown this once)`;
}

function given(argument: string | undefined, what: string): string {
  if (!argument) throw inputError(`${what} is missing\n\n${USAGE}`);
  return argument;
}
