import type { Socket } from "node:net";
import type { Transporter } from "nodemailer";
import { MAIL_SENDER_PATTERN } from "../config.ts";
import { connectTarget } from "../outbound/connector.ts";

/** Email before sending: each paragraph has a text, and optionally a link below the text. */
export interface Mail {
  to: readonly string[];
  subject: string;
  paragraphs: readonly Paragraph[];
}

/** Paragraph of an email. `quote` is text of another person, displayed as a quotation. */
interface Paragraph {
  text: string;
  link?: string | undefined;
  quote?: string | undefined;
}

/** Maximum characters of a subject. */
const SUBJECT = 200;

/**
 * Converts text to one line without control characters and characters that change the text direction. Truncates to
 * `most` characters.
 */
export function plainLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, " ").trim();
  const letters = [...line];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : line;
}

/** Characters that email clients read as a full stop, including `⒈`, which stands for `1.`. */
const DOT = "[.\\u2024\\u2488-\\u249B\\u3002\\uFE52\\uFF0E\\uFF61\\u{1F100}]";
const COLON = /(?<=[\p{L}\p{M}])\s*[:\uFE13\uFE55\uFF1A](?=\S)/gu;
const SLASHES = /[/\\\uFF0F\uFF3C]{2,}/gu;
const DOT_OF_NAME = new RegExp(`${DOT}(?=[\\p{L}\\p{M}])|(?<=www)${DOT}(?=\\S)`, "giu");
const DOT_OF_IPV4 = new RegExp(`(?<=\\d)${DOT}(?=\\d+${DOT}\\d+${DOT}\\d)`, "gu");

/**
 * Inserts spaces so that no email client creates links from the text: after the scheme's colon, and between the labels
 * of a host name.
 */
export const preventAutoLinks = (text: string): string =>
  text.replace(SLASHES, "/").replace(COLON, ": ").replace(DOT_OF_NAME, "$& ").replace(DOT_OF_IPV4, "$& ");

/**
 * Returns the subject to send. The subject may contain names that other users chose, which must not look like links.
 */
const subjectOf = ({ subject }: Mail): string => plainLine(preventAutoLinks(plainLine(subject, SUBJECT)), SUBJECT);

/** Returns an email as plain text. */
const textOf = ({ paragraphs }: Mail): string =>
  paragraphs
    .map(({ text, link, quote }) => [text, ...(quote ? [quoted(quote)] : []), ...(link ? [link] : [])].join("\n"))
    .join("\n\n")
    .concat("\n");

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** Returns an email as simple HTML. All text is escaped. */
const htmlOf = ({ paragraphs }: Mail): string =>
  `<!doctype html><html><body>${paragraphs.map(paragraphHtml).join("")}</body></html>`;

function paragraphHtml({ text, link, quote }: Paragraph): string {
  const parts = [escapeHtml(text), ...(link ? [`<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`] : [])];
  return `<p>${parts.join("<br>")}</p>${quote ? `<blockquote><pre>${escapeHtml(quote)}</pre></blockquote>` : ""}`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES.get(letter) ?? "");

/** Returns true for a valid sender: one line with an address, optionally preceded by a name. */
export const isSender = (text: string): boolean => MAIL_SENDER_PATTERN.test(text);

/**
 * Encryption of the connection to an SMTP server. `tls` encrypts from the first byte, `starttls` requires STARTTLS, and
 * `none` does not encrypt.
 */
export type MailSecurity = "tls" | "starttls" | "none";

/** SMTP server, and the sender of emails through the server. */
export interface MailServer {
  host: string;
  port: number;
  security: MailSecurity;
  /** Null to connect without authentication. */
  username: string | null;
  password: string | null;
  /** Sender's address, with or without a name. */
  from: string;
  /** True if the server may have a private address. */
  allowPrivate: boolean;
  /**
   * True for the operator's server, which every organization uses. Emails through the operator's server are counted.
   */
  shared?: true;
}

/** Maximum time of sending, from name resolution to the server's last reply, in ms. */
const SEND_MS = 20_000;
/** Maximum silence of the server, in ms. */
const SILENCE_MS = 10_000;

/**
 * Sends an email to an SMTP server and resolves when the server has accepted the email. The Message-ID contains `id`
 * and is the same on every attempt.
 * @throws the error of the network or of the server, with its `responseCode` if the server sent one; TargetRefusedError for
 * a private address
 */
export async function sendMail(server: MailServer, mail: Mail, id: string, stop?: AbortSignal): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const { host, port, security, username, password, from, allowPrivate } = server;
  const connection = await connectTarget(host, port, allowPrivate);
  const transport: Transporter = createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(username !== null && { auth: { user: username, pass: password ?? "" } }),
    ...{ greetingTimeout: SILENCE_MS, connectionTimeout: SILENCE_MS, socketTimeout: SILENCE_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
    getSocket: (_options: unknown, callback: (error: null, socket: { connection: Socket }) => void) =>
      callback(null, { connection }),
  });
  const signal = AbortSignal.any([AbortSignal.timeout(SEND_MS), ...(stop ? [stop] : [])]);
  try {
    const text = { text: textOf(mail), html: htmlOf(mail) };
    const messageId = `<${id}@${domainOf(from)}>`;
    const headers = { "Auto-Submitted": "auto-generated" };
    await transport.sendMail({ from, to: [...mail.to], subject: subjectOf(mail), ...text, messageId, headers, signal });
  } finally {
    transport.close();
    connection.destroy();
  }
}

const domainOf = (from: string): string => /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? "trackway.invalid";
