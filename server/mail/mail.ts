import { SENDER } from "../config.ts";

/** A mail before it is sent: one paragraph a text, with a link below where there is one. */
export interface Mail {
  to: readonly string[];
  subject: string;
  paragraphs: readonly Paragraph[];
}

/** A paragraph of a mail; `quote` is a text of somebody else, shown as such. */
export interface Paragraph {
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

/** The subject as it is sent. */
export const subjectOf = ({ subject }: Mail): string => plainLine(subject, SUBJECT);

/** A mail as plain text. */
export const textOf = ({ paragraphs }: Mail): string =>
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
export const htmlOf = ({ paragraphs }: Mail): string =>
  `<!doctype html><html><body>${paragraphs.map(paragraphHtml).join("")}</body></html>`;

function paragraphHtml({ text, link, quote }: Paragraph): string {
  const parts = [escapeHtml(text), ...(link ? [`<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`] : [])];
  return `<p>${parts.join("<br>")}</p>${quote ? `<blockquote><pre>${escapeHtml(quote)}</pre></blockquote>` : ""}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? "");

/** True for the sender of a mail: an address, with a name before it or without, in one line. */
export const isSender = (text: string): boolean => SENDER.test(text);
