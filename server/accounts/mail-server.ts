import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { requireSameReceiver } from "../auth/receiver.ts";
import { openSecret, sealSecret } from "../auth/secret.ts";
import type { Config } from "../config.ts";
import { inputError, notFound } from "../errors.ts";
import { type Mail, type MailSecurity, type MailServer, sendMail } from "../mail/mail.ts";
import { allowsPrivate, type Runtime } from "../runtime.ts";
import { audit } from "./audit.ts";

/** The mail server of an organization as its owners see it: without the password. */
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

/** The mail server of an organization's own, if it has one. */
export async function shownMailServer(db: Database, organizationId: string): Promise<ShownMailServer | undefined> {
  const [found] = await db.query<ShownMailServer>(toStatement(rowOf(organizationId).select(COLUMNS)));
  return found;
}

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/** The mail server of the settings; undefined where they name none. The operator may name one at any address. */
export function mailServerOfSettings({ SMTP_URL, MAIL_FROM }: Config): MailServer | undefined {
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
 * The mail server by which mails of an organization go: its own, else that of the settings; undefined without either.
 * @throws an error of node:crypto where the password was sealed under another secret of the server
 */
export async function mailServerOf(runtime: Runtime, organizationId: string): Promise<MailServer | undefined> {
  const { db, secret, config } = runtime;
  const [own] = await db.query<Row>(toStatement(rowOf(organizationId).select([...COLUMNS, "passwordEncrypted"])));
  if (!own) return mailServerOfSettings(config);
  const { passwordEncrypted: sealed, ...shown } = own;
  const password = sealed && openSecret(secret, ownerOfPassword(organizationId), sealed);
  return { ...shown, password, allowPrivate: allowsPrivate(runtime) };
}

/** An owner's change of the mail server. */
interface MailServerInput extends ShownMailServer {
  /** Left out, the stored one stays; not for another host, port or user name. */
  password?: string | undefined;
}

interface Owner {
  organizationId: string;
  userId: string;
}

/**
 * Stores the mail server of an organization.
 * @throws inputError where another server would be sent the stored password, or a password is without a user name
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
    if (before && stored && !password) requireSameReceiver("password", receiverOf(before), receiverOf(shown));
    const kept = password ? null : stored;
    const passwordEncrypted = password ? sealSecret(secret, ownerOfPassword(organizationId), password) : kept;
    const row = { ...shown, passwordEncrypted, updatedAt: now };
    const insert = knex("mailServer").insert({ organizationId, ...row, createdAt: now });
    await trx.query(toStatement(insert.onConflict("organizationId").merge(row)));
    await audit(trx, { event: "mailServer.changed", organizationId, accountId, detail: shown });
  });
}

/** Removes the mail server of an organization: its mails go by the server's, if there is one. @throws notFound */
export async function removeMailServer(db: Database, { organizationId, userId: accountId }: Owner): Promise<void> {
  await db.transaction(async (trx) => {
    const removed = await trx.query(toStatement(rowOf(organizationId).delete("host")));
    if (removed.length === 0) throw notFound("mailServer", organizationId);
    await audit(trx, { event: "mailServer.removed", organizationId, accountId, detail: {} });
  });
}

/** Pauses between the attempts, in ms. No more: a link in a mail is a secret, and is kept nowhere but here. */
const PAUSES = [1_000, 5_000];

/**
 * Sends a mail with a secret in it, in a few attempts; such mails are in no queue.
 * @returns whether a server took it
 */
export async function mailSoon(
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
      log.warn({ code, responseCode, subject: mail.subject }, "a mail was not taken");
    }
    if (pause === undefined || stopping.aborted) return false;
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
  return false;
}
