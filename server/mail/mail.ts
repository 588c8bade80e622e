import type { Socket } from "node:net";
import type { Transporter } from "nodemailer";
import { SENDER } from "../config.ts";
import { connectTarget } from "../outbound/connector.ts";

/** A mail before it is sent: one paragraph a text, with a link below where there is one. */
export interface Mail {
  to: readonly string[];
  subject: string;
  paragraphs: readonly Paragraph[];
}

/** A paragraph of a mail; `quote` is a text of somebody else, shown as such. */
interface Paragraph {
  text: string;
  link?: string | undefined;
  quote?: string | undefined;
}

/** Characters of a subject. */
const SUBJECT = 200;

/** A text in one line, without characters that steer a terminal, a header or the direction of text, cut at `most`. */
export function plainLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, " ").trim();
  const letters = [...line];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : line;
}

/** Characters that mail programs read as a full stop, `⒈` among them, which stands for `1.`. */
const DOT = "[.\\u2024\\u2488-\\u249B\\u3002\\uFE52\\uFF0E\\uFF61\\u{1F100}]";
const COLON = /(?<=[\p{L}\p{M}])\s*[:\uFE13\uFE55\uFF1A](?=\S)/gu;
const SLASHES = /[/\\\uFF0F\uFF3C]{2,}/gu;
const DOT_OF_NAME = new RegExp(`${DOT}(?=[\\p{L}\\p{M}])|(?<=www)${DOT}(?=\\S)`, "giu");
const DOT_OF_IPV4 = new RegExp(`(?<=\\d)${DOT}(?=\\d+${DOT}\\d+${DOT}\\d)`, "gu");

/** Text of which no mail program makes a link: a space parts the scheme from what follows, and the parts of a host's name. */
export const withoutLinks = (text: string): string =>
  text.replace(SLASHES, "/").replace(COLON, ": ").replace(DOT_OF_NAME, "$& ").replace(DOT_OF_IPV4, "$& ");

/** The subject as it is sent. It holds names that others chose: they may not look like links. */
const subjectOf = ({ subject }: Mail): string => plainLine(withoutLinks(plainLine(subject, SUBJECT)), SUBJECT);

/** A mail as plain text. */
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

/** The same as simple HTML; every text in it is escaped. */
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

/** True for the sender of a mail: an address, with a name before it or without, in one line. */
export const isSender = (text: string): boolean => SENDER.test(text);

/** Encryption of the connection to a mail server: from its first byte, after STARTTLS, which it has to offer, or not at all. */
export type MailSecurity = "tls" | "starttls" | "none";

/** A mail server, and the sender of mails by it. */
export interface MailServer {
  host: string;
  port: number;
  security: MailSecurity;
  /** Without one, nobody signs in there. */
  username: string | null;
  password: string | null;
  /** The sender's address, with a name or without. */
  from: string;
  /** It may stand at an address that is not public. */
  allowPrivate: boolean;
  /** Set for the operator's, which every organization uses: emails through it are counted. */
  shared?: true;
}

/** The whole of a sending, from the name's look-up to the server's last reply, in ms. */
const SEND_MS = 20_000;
/** The longest silence of the server, in ms. */
const SILENCE_MS = 10_000;

/**
 * Hands a mail to a server; resolves when the server has taken it. `id` makes its Message-ID, the same on every attempt.
 * @throws the error of the network or of the server, with its `responseCode` where it gave one; TargetRefused for an
 * address that is not public
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

/** The domain of a sender's address. */
const domainOf = (from: string): string => /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? "trackway.invalid";
