import { removeAnsi } from "../../../parts/texts/ansi.ts";
import { formatDuration, formatTimeOffset } from "../../../parts/texts/format.ts";
import { formatSessionTitle } from "../../sessions/row.tsx";
import type { EventTree, SessionEvent } from "../events.ts";
import type { SessionData } from "../readings.ts";
import { type EventContent, readEventContent } from "../transcript/texts.ts";
import { formatEventName, formatFailureText, summarizeArguments } from "../words.ts";

/** Maximum number of characters of each text in an export. */
export const MAX_EXPORT_TEXT_LENGTH = 20_000;
/**
 * Maximum number of events whose content an export contains, and number of characters after which an export reads no
 * further content.
 */
const MOST = 2_000;
const TOTAL = 16_000_000;
/** Number of events per request for content. */
const BATCH = 50;

/** Note about the limit on the content of an export. */
export const CONTENT_LIMIT_NOTE = `an export contains the content of the first ${MOST.toLocaleString("en")} events, up to 16 MB`;

/** Exports a session as JSON. Marks truncated and omitted content. */
export async function exportJson(recorded: SessionData, tree: EventTree): Promise<string> {
  const texts = await readExportContent(recorded, tree.all);
  const events = tree.all.map(({ id, parentId, name, type, failed, latency, at }) => ({
    event_id: id,
    parent_id: parentId,
    primitive_name: name,
    primitive_type: type,
    timestamp: new Date(at).toISOString(),
    latency,
    success: !failed,
    ...cut(texts.get(id)),
  }));
  const limits = { charactersOfAText: MAX_EXPORT_TEXT_LENGTH, eventsWithTexts: MOST, charactersOfAllTexts: TOTAL };
  return JSON.stringify({ session: recorded, limits, events }, null, 2);
}

/** Exports a session as Markdown: turns as headings, calls as a list, failed calls with the output. */
export async function exportMarkdown(recorded: SessionData, tree: EventTree): Promise<string> {
  const wanted = tree.all.filter(({ kind, failed }) => kind === "turn" || failed);
  const texts = await readExportContent(recorded, wanted);
  const parts = [`# ${formatSessionTitle(recorded)}`, `${location.origin}/sessions/${recorded.id}`];
  for (const root of tree.roots) parts.push(...formatTurn(root, tree.begin, texts));
  return `${parts.join("\n\n")}\n`;
}

/**
 * Truncates the content of an event for an export. If the content was not read because of the limits of an export,
 * returns a note instead.
 */
function cut(texts: EventContent | undefined) {
  if (!texts) return { texts_left_out: true };
  const { args, result } = texts;
  const truncated = Object.entries({ args, result }).flatMap(([name, text]) =>
    text.length > MAX_EXPORT_TEXT_LENGTH ? [name] : [],
  );
  return {
    args: args.slice(0, MAX_EXPORT_TEXT_LENGTH),
    result: result.slice(0, MAX_EXPORT_TEXT_LENGTH),
    ...(truncated.length > 0 && { truncated }),
  };
}

/** Reads the content of events, up to the limits of an export. */
export async function readExportContent(
  recorded: SessionData,
  events: readonly SessionEvent[],
): Promise<Map<string, EventContent>> {
  const texts = new Map<string, EventContent>();
  const ids = events.slice(0, MOST).map(({ id }) => id);
  let size = 0;
  for (let at = 0; at < ids.length && size < TOTAL; at += BATCH) {
    for (const [id, read] of await readEventContent(
      recorded.id,
      ids.slice(at, at + BATCH),
      MAX_EXPORT_TEXT_LENGTH + 1,
    )) {
      texts.set(id, read);
      size += read.args.length + read.result.length;
    }
  }
  return texts;
}

function formatTurn(root: SessionEvent, begin: number, texts: Map<string, EventContent>): string[] {
  const { args = "", result = "" } = texts.get(root.id) ?? {};
  const calls: string[] = [];
  const walk = (event: SessionEvent, depth: number) => {
    const state = event.failed ? ` **failed: ${formatFailureText(event)}**` : "";
    calls.push(
      `${"  ".repeat(depth)}- ${event.name} ${code(summarizeArguments(event))} ${formatDuration(event.latency)}${state}`,
    );
    const output = event.failed ? texts.get(event.id)?.result : undefined;
    if (output) calls.push(fenced(removeAnsi(truncateText(output)), "  ".repeat(depth + 1)));
    for (const child of event.children) walk(child, depth + 1);
  };
  for (const child of root.children) walk(child, 0);
  const head = `## ${formatTimeOffset(root.at - begin)} ${root.kind === "turn" ? root.name : formatEventName(root)}`;
  return [head, quoted(truncateText(args)), calls.join("\n"), removeAnsi(truncateText(result))].filter(Boolean);
}

const truncateText = (text: string): string =>
  text.length > MAX_EXPORT_TEXT_LENGTH ? `${text.slice(0, MAX_EXPORT_TEXT_LENGTH)}…` : text;

const quoted = (text: string): string => removeAnsi(text).replace(/^/gm, "> ");
const code = (text: string): string => (text ? `\`${text.replaceAll("`", "'")}\`` : "");

/**
 * Wraps a text in a Markdown code fence. The fence has more backticks than the longest run of backticks in the text, so
 * that the text cannot end the fence.
 */
function fenced(text: string, indent: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`.replace(/^/gm, indent);
}

/** Saves text as a file through the browser. */
export function downloadFile(name: string, ...parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
