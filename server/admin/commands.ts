import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { DAY_MS } from "../../formats/time.ts";
import { audit } from "../accounts/audit.ts";
import { createIngestKey } from "../accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../accounts/keys/personal-key.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { hashPassword, OPERATOR } from "../auth/password.ts";
import { inputError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { createOwner } from "./create-owner.ts";
import { deleteAccount, deleteOrganizationNamed } from "./deletion/deletion.ts";
import { purgeFiles } from "./deletion/purge-files.ts";
import { list } from "./list.ts";
import { redactStored } from "./redact/redact.ts";
import { refold } from "./refold.ts";
import { endLogins, revoke } from "./revoke.ts";
import { USAGE } from "./usage.ts";

/** The parts of the server that commands work with. */
export type Means = Pick<Runtime, "config" | "db" | "publicUrl" | "secret">;

type Command = (db: Database, args: string[], means: Means) => Promise<string>;

/** Every command that reaches the database; `distribute` works beneath it. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  list: (db, [what]) => list(db, what),
  "create-owner": (_db, args, means) => createOwner(means, args),
  "reset-password": resetPassword,
  "allow-passwords": allowPasswords,
  "create-key": createKey,
  "create-ingest-key": createIngest,
  revoke: (db, [what]) => revoke(db, given(what, "ID or EMAIL")),
  "delete-organization": (db, [urlKey, repeated]) => deleteOrganizationNamed(db, given(urlKey, "URLKEY"), repeated),
  "delete-account": (_db, [email, repeated], means) =>
    deleteAccount(means, given(email, "EMAIL").toLowerCase(), repeated),
  "purge-files": (db) => purgeFiles(db),
  redact: (_db, args, means) => redactStored(means, args),
  refold: (db, args) => refold(db, args),
};

/**
 * Runs one administrative command. Its callers may do everything.
 * @returns the text to print. @throws inputError for an unknown command or argument.
 */
export async function runCommand(means: Means, [name = "", ...args]: string[]): Promise<string> {
  const command = readOwn(COMMANDS, name);
  if (!command) throw inputError(`no command ${name || "was given"}\n\n${USAGE}`);
  return command(means.db, args, means);
}

async function resetPassword(db: Database, [email]: string[]): Promise<string> {
  const address = given(email, "EMAIL").toLowerCase();
  const password = randomBytes(15).toString("base64url");
  const passwordHash = await hashPassword(password, OPERATOR);
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

/** The way back in where the provider of an organization fails that demands it. */
async function allowPasswords(db: Database, [urlKey]: string[]): Promise<string> {
  const named = knex("organization")
    .where({ urlKey: given(urlKey, "URLKEY"), deletedAt: null })
    .select("id");
  await db.transaction(async (trx) => {
    const change = knex("oidcProvider").whereIn("organizationId", named).update({ required: false }, "organizationId");
    const [changed] = await trx.query<{ organizationId: string }>(toStatement(change));
    if (!changed) throw inputError(`${urlKey} has no OpenID provider`);
    await audit(trx, { event: "oidc.changed", ...changed, detail: { required: false, by: "admin" } });
  });
  credentialsRevoked(db);
  return `Passwords open ${urlKey} again.`;
}

async function createKey(db: Database, args: string[]): Promise<string> {
  const { positionals, values } = parseArgs({ args, options: { days: { type: "string" } }, allowPositionals: true });
  const [email, urlKey, label = "admin"] = positionals;
  const { days } = values;
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days)) throw inputError("--days takes a whole number, 1 to 9999");
  const expiresAt = days === undefined ? undefined : new Date(Date.now() + Number(days) * DAY_MS);
  const named = members({ "o.urlKey": given(urlKey, "URLKEY") })
    .join("account as a", "a.id", "u.accountId")
    .where("a.email", given(email, "EMAIL").toLowerCase());
  const [member] = await db.query<{ organizationId: string; userId: string }>(toStatement(named));
  if (!member) throw inputError(`${email} is no member of ${urlKey}`);
  const { id, token } = await createPersonalKey(db, { ...member, label, expiresAt });
  const end = expiresAt ? `, good until ${expiresAt.toISOString()}` : "";
  return `${token}\n(id ${id}, label ${label}${end}; shown this once)`;
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
