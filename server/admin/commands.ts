import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { DAY_MS } from "../../formats/time.ts";
import { writeAuditEntry } from "../accounts/audit.ts";
import { createIngestKey } from "../accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../accounts/keys/personal-key.ts";
import { invalidateCredentialCache } from "../auth/credential-cache.ts";
import { hashPassword, OPERATOR_QUEUE_KEY } from "../auth/password.ts";
import { inputError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { createOwner } from "./create-owner.ts";
import { deleteAccount, deleteOrganizationByKey } from "./deletion/deletion.ts";
import { planAccountDeletion, planOrganizationDeletion } from "./deletion/plans.ts";
import { planPurge, purgeDeletedRowsFromDisk, validatePurgeFilesArguments } from "./deletion/purge-files.ts";
import { listRows } from "./list.ts";
import { planRedaction, redactStoredContent, validateRedactArguments } from "./redact/redact.ts";
import { requestRefold, validateRefoldArguments } from "./refold.ts";
import type { RemovalPlan } from "./removal.ts";
import { revokeCredentials, revokeLoginsQuery } from "./revoke.ts";
import { ADMIN_USAGE_TEXT } from "./usage.ts";

export type CommandContext = Pick<Runtime, "config" | "db" | "publicUrl" | "secret">;

type Command = (db: Database, args: string[], means: CommandContext) => Promise<string>;

/** Every command that uses an open database. `distribute` and `preflight` connect themselves. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  list: (db, [what]) => listRows(db, what),
  "create-owner": (_db, args, means) => createOwner(means, args),
  "reset-password": resetPassword,
  "allow-passwords": allowPasswords,
  "create-key": createKey,
  "create-ingest-key": createIngest,
  revoke: (db, [what]) => revokeCredentials(db, requireArgument(what, "ID or EMAIL")),
  "delete-organization": (db, [urlKey, repeated, shownId]) =>
    deleteOrganizationByKey(db, requireArgument(urlKey, "URLKEY"), { repeated, shownId }),
  "delete-account": (_db, [email, repeated, shownId], means) =>
    deleteAccount(means, requireArgument(email, "EMAIL").toLowerCase(), { repeated, shownId }),
  "purge-files": (db, args) => purgeDeletedRowsFromDisk(db, args),
  redact: (_db, args, means) => redactStoredContent(means, args),
  refold: (db, args) => requestRefold(db, args),
};

/**
 * Plans of the destructive commands. A plan shows the items that the command would remove, before the command removes
 * the items.
 */
const PLANS: Readonly<Record<string, (means: CommandContext, args: string[]) => Promise<RemovalPlan | undefined>>> = {
  "delete-organization": ({ db }, [urlKey, repeated, shownId]) =>
    planOrganizationDeletion(db, requireArgument(urlKey, "URLKEY"), { repeated, shownId }),
  "delete-account": ({ db }, [email, repeated, shownId]) =>
    planAccountDeletion(db, requireArgument(email, "EMAIL").toLowerCase(), { repeated, shownId }),
  "purge-files": ({ db }, args) => planPurge(db, args),
  redact: planRedaction,
};

/**
 * Returns the plan of a command, which shows the items that the command would remove. Removes nothing. Returns
 * undefined for a command that is not destructive.
 */
export const planCommand = async (
  means: CommandContext,
  [name = "", ...args]: string[],
): Promise<RemovalPlan | undefined> => getOwnProperty(PLANS, name)?.(means, args);

/** Commands whose arguments are checked before the first request to the server or the database. */
const CHECKS: Readonly<Record<string, (args: string[]) => void>> = {
  "purge-files": validatePurgeFilesArguments,
  redact: validateRedactArguments,
  refold: validateRefoldArguments,
};

/** @throws inputError for invalid arguments, such as a time in an undocumented form */
export const validateCommandArguments = ([name = "", ...args]: string[]): void => getOwnProperty(CHECKS, name)?.(args);

/**
 * Runs one administrative command. The caller has every permission.
 * @returns the text to print. @throws inputError for an unknown command or argument.
 */
export async function runCommand(means: CommandContext, [name = "", ...args]: string[]): Promise<string> {
  const command = getOwnProperty(COMMANDS, name);
  if (!command) throw inputError(`${name ? `unknown command ${name}` : "no command was given"}\n\n${ADMIN_USAGE_TEXT}`);
  return command(means.db, args, means);
}

async function resetPassword(db: Database, [email]: string[]): Promise<string> {
  const address = requireArgument(email, "EMAIL").toLowerCase();
  const password = randomBytes(15).toString("base64url");
  const passwordHash = await hashPassword(password, OPERATOR_QUEUE_KEY);
  await db.transaction(async (trx) => {
    const change = knex("account").where({ email: address }).update({ passwordHash }, "id");
    const [account] = await trx.query<{ id: string }>(toStatement(change));
    if (!account) throw inputError(`no account has the address ${address}`);
    await trx.query(toStatement(revokeLoginsQuery({ accountId: account.id })));
    await writeAuditEntry(trx, { event: "password.reset", accountId: account.id, detail: { by: "admin" } });
  });
  invalidateCredentialCache(db);
  return `${address} has the password ${password}\nIts logins have ended.`;
}

/** Allows passwords again, for an organization whose required OpenID provider fails. */
async function allowPasswords(db: Database, [urlKey]: string[]): Promise<string> {
  const named = knex("organization")
    .where({ urlKey: requireArgument(urlKey, "URLKEY"), deletedAt: null })
    .select("id");
  await db.transaction(async (trx) => {
    const change = knex("oidcProvider").whereIn("organizationId", named).update({ required: false }, "organizationId");
    const [changed] = await trx.query<{ organizationId: string }>(toStatement(change));
    if (!changed) throw inputError(`${urlKey} has no OpenID provider`);
    await writeAuditEntry(trx, { event: "oidc.changed", ...changed, detail: { required: false, by: "admin" } });
  });
  invalidateCredentialCache(db);
  return `Passwords open ${urlKey} again.`;
}

async function createKey(db: Database, args: string[]): Promise<string> {
  const { positionals, values } = parseArgs({ args, options: { days: { type: "string" } }, allowPositionals: true });
  const [email, urlKey, label = "admin"] = positionals;
  const { days } = values;
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days)) throw inputError("--days takes a whole number, 1 to 9999");
  const expiresAt = days === undefined ? undefined : new Date(Date.now() + Number(days) * DAY_MS);
  const named = members({ "o.urlKey": requireArgument(urlKey, "URLKEY") })
    .join("account as a", "a.id", "u.accountId")
    .where("a.email", requireArgument(email, "EMAIL").toLowerCase());
  const [member] = await db.query<{ organizationId: string; userId: string }>(toStatement(named));
  if (!member) throw inputError(`${email} is not a member of ${urlKey}`);
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
  const owners = members({ "o.urlKey": requireArgument(urlKey, "URLKEY"), "u.role": "owner" });
  const [owner] = await db.query<{ organizationId: string; userId: string }>(
    toStatement(owners.orderBy("u.id").limit(1)),
  );
  if (!owner) throw inputError(`there is no organization ${urlKey}`);
  const { id, key } = await createIngestKey(db, { ...owner, name });
  return `${key}\n(id ${id}, name ${name}; shown this once)`;
}

function requireArgument(argument: string | undefined, what: string): string {
  if (!argument) throw inputError(`${what} is missing\n\n${ADMIN_USAGE_TEXT}`);
  return argument;
}
