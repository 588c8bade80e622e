import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { requireSameSecretReceiver } from "../auth/receiver.ts";
import { decryptSecret, encryptSecret } from "../auth/secret.ts";
import type { Config } from "../config.ts";
import { inputError, notFound } from "../errors.ts";
import { type Mail, type MailSecurity, type MailServer, sendMail } from "../mail/mail.ts";
import { allowsPrivateAddresses, type Runtime } from "../runtime.ts";
import { writeAuditEntry } from "./audit.ts";

/** An organization's mail server as shown to owners, without the password. */
interface ShownMailServer {
  host: string;
  port: number;
  security: MailSecurity;
  username: string | null;
  from: string;
}

type Row = ShownMailServer & { passwordEncrypted: Buffer | null };

const COLUMNS = ["host", "port", "security", "username", "from"] as const;
const rowOf = (organizationId: string) => knex("mailServer").where({ organizationId });
const ownerOfPassword = (organizationId: string): string => `mail ${organizationId}`;

const receiverOf = ({ host, port, security, username }: ShownMailServer) => ({ host, port, security, username });

/** Returns the organization's own mail server, if set. */
export async function readMailServer(db: Database, organizationId: string): Promise<ShownMailServer | undefined> {
  const [found] = await db.query<ShownMailServer>(toStatement(rowOf(organizationId).select(COLUMNS)));
  return found;
}

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/**
 * Returns the mail server that the operator configured in the settings of the Trackway server; undefined if none is
 * configured. The configured mail server may always have a private address; an organization's mail server may have a
 * private address only if `allowsPrivateAddresses` is true.
 */
export function parseConfiguredMailServer({ SMTP_URL, MAIL_FROM }: Config): MailServer | undefined {
  if (!SMTP_URL || !MAIL_FROM) return undefined;
  const { protocol, hostname, port, username, password, searchParams } = new URL(SMTP_URL);
  const security = protocol === "smtps:" ? "tls" : searchParams.get("security") === "none" ? "none" : "starttls";
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || PORTS[security === "tls" ? "smtps:" : "smtp:"],
    security,
    username: username ? decodeURIComponent(username) : null,
    password: password ? decodeURIComponent(password) : null,
    from: MAIL_FROM,
    allowPrivate: true,
    shared: true,
  };
}

/**
 * Returns the mail server for an organization's emails: the organization's own mail server, else the operator's mail
 * server from the settings.
 * @throws an error of node:crypto if the password was encrypted with another server secret
 */
export async function findEffectiveMailServer(
  runtime: Runtime,
  organizationId: string,
): Promise<MailServer | undefined> {
  const { db, secret, config } = runtime;
  const [own] = await db.query<Row>(toStatement(rowOf(organizationId).select([...COLUMNS, "passwordEncrypted"])));
  if (!own) return parseConfiguredMailServer(config);
  const { passwordEncrypted: sealed, ...shown } = own;
  const password = sealed && decryptSecret(secret, ownerOfPassword(organizationId), sealed);
  return { ...shown, password, allowPrivate: allowsPrivateAddresses(runtime) };
}

/** An owner's change of the mail server. */
interface MailServerInput extends ShownMailServer {
  /**
   * If absent, the stored password stays. The password is required if the host, port, encryption or user name changes.
   */
  password?: string | undefined;
}

interface Owner {
  organizationId: string;
  userId: string;
}

/**
 * Stores the mail server of an organization.
 * @throws inputError if the stored password would be sent to another server, or for a password without a user name
 */
export async function saveMailServer({ db, secret }: Runtime, owner: Owner, input: MailServerInput): Promise<void> {
  const { organizationId, userId: accountId } = owner;
  const { password, ...shown } = input;
  const now = new Date();
  await db.transaction(async (trx) => {
    const [before] = await trx.query<Row>(
      toStatement(
        rowOf(organizationId)
          .forUpdate()
          .select([...COLUMNS, "passwordEncrypted"]),
      ),
    );
    if (password && !shown.username) throw inputError("username is needed with a password", "username");
    const stored = shown.username ? (before?.passwordEncrypted ?? null) : null;
    if (before && stored && !password) requireSameSecretReceiver("password", receiverOf(before), receiverOf(shown));
    const kept = password ? null : stored;
    const passwordEncrypted = password ? encryptSecret(secret, ownerOfPassword(organizationId), password) : kept;
    const row = { ...shown, passwordEncrypted, updatedAt: now };
    const insert = knex("mailServer").insert({ organizationId, ...row, createdAt: now });
    await trx.query(toStatement(insert.onConflict("organizationId").merge(row)));
    await writeAuditEntry(trx, { event: "mailServer.changed", organizationId, accountId, detail: shown });
  });
}

/**
 * Removes an organization's mail server. Emails of the organization then go through the operator's mail server, if one
 * is configured. @throws notFound
 */
export async function removeMailServer(db: Database, { organizationId, userId: accountId }: Owner): Promise<void> {
  await db.transaction(async (trx) => {
    const removed = await trx.query(toStatement(rowOf(organizationId).delete("host")));
    if (removed.length === 0) throw notFound("mailServer", organizationId);
    await writeAuditEntry(trx, { event: "mailServer.removed", organizationId, accountId, detail: {} });
  });
}

/**
 * Pauses between attempts, in ms. There are only a few attempts, because a link in an email is a secret that exists
 * only in this process's memory.
 */
const PAUSES = [1_000, 5_000];

/**
 * Sends an email that contains a secret, with a few attempts. No queue stores the email.
 * @returns whether the mail server accepted the email
 */
export async function sendMailWithSecret(
  { log, stopping }: Pick<Runtime, "log" | "stopping">,
  server: MailServer,
  mail: Mail,
  pauses: readonly number[] = PAUSES,
): Promise<boolean> {
  const id = randomUUID();
  for (const pause of [...pauses, undefined]) {
    try {
      await sendMail(server, mail, id, stopping);
      return true;
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      log.warn({ code, responseCode, subject: mail.subject }, "the mail server did not accept an email");
    }
    if (pause === undefined || stopping.aborted) return false;
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
  return false;
}
