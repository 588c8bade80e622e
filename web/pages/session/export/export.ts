import { withoutAnsi } from "../../../parts/texts/ansi.ts";
import { duration, offset } from "../../../parts/texts/format.ts";
import { titleOf } from "../../sessions/row.tsx";
import type { EventTree, SessionEvent } from "../events.ts";
import type { Recorded } from "../readings.ts";
import { readTexts, type Texts } from "../transcript/texts.ts";
import { about, failureOf, nameOf } from "../words.ts";

/** Characters of each text that an export holds. */
export const LONGEST = 20_000;
/** Events whose texts an export holds, and characters of all of them: what is read after that is left out. */
const MOST = 2_000;
const TOTAL = 16_000_000;
/** Events whose texts are read together. */
const BATCH = 50;

/** Says how many texts an export holds. */
export const eventsBounded = `it holds those of the first ${MOST.toLocaleString("en")} events, up to 16 MB`;

/** A session as JSON, which says which texts it holds in part or not at all. */
export async function toJson(recorded: Recorded, tree: EventTree): Promise<string> {
  const texts = await textsOf(recorded, tree.all);
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
  const limits = { charactersOfAText: LONGEST, eventsWithTexts: MOST, charactersOfAllTexts: TOTAL };
  return JSON.stringify({ session: recorded, limits, events }, null, 2);
}

/** A session as Markdown: turns as headings, calls as a list, what failed with its output. */
export async function toMarkdown(recorded: Recorded, tree: EventTree): Promise<string> {
  const wanted = tree.all.filter(({ kind, failed }) => kind === "turn" || failed);
  const texts = await textsOf(recorded, wanted);
  const parts = [`# ${titleOf(recorded)}`, `${location.origin}/sessions/${recorded.id}`];
  for (const root of tree.roots) parts.push(...turn(root, tree.begin, texts));
  return `${parts.join("\n\n")}\n`;
}

/** Texts as an export holds them; nothing of an event beyond those whose texts it holds. */
function cut(texts: Texts | undefined) {
  if (!texts) return { texts_left_out: true };
  const { args, result } = texts;
  const truncated = Object.entries({ args, result }).flatMap(([name, text]) => (text.length > LONGEST ? [name] : []));
  return {
    args: args.slice(0, LONGEST),
    result: result.slice(0, LONGEST),
    ...(truncated.length > 0 && { truncated }),
  };
}

/** Reads the texts of events, as many as an export holds. */
export async function textsOf(recorded: Recorded, events: readonly SessionEvent[]): Promise<Map<string, Texts>> {
  const texts = new Map<string, Texts>();
  const ids = events.slice(0, MOST).map(({ id }) => id);
  let size = 0;
  for (let at = 0; at < ids.length && size < TOTAL; at += BATCH) {
    for (const [id, read] of await readTexts(recorded.id, ids.slice(at, at + BATCH), LONGEST + 1)) {
      texts.set(id, read);
      size += read.args.length + read.result.length;
    }
  }
  return texts;
}

function turn(root: SessionEvent, begin: number, texts: Map<string, Texts>): string[] {
  const { args = "", result = "" } = texts.get(root.id) ?? {};
  const calls: string[] = [];
  const walk = (event: SessionEvent, depth: number) => {
    const state = event.failed ? ` **failed: ${failureOf(event)}**` : "";
    calls.push(`${"  ".repeat(depth)}- ${event.name} ${code(about(event))} ${duration(event.latency)}${state}`);
    const output = event.failed ? texts.get(event.id)?.result : undefined;
    if (output) calls.push(fenced(withoutAnsi(shown(output)), "  ".repeat(depth + 1)));
    for (const child of event.children) walk(child, depth + 1);
  };
  for (const child of root.children) walk(child, 0);
  const head = `## ${offset(root.at - begin)} ${root.kind === "turn" ? root.name : nameOf(root)}`;
  return [head, quoted(shown(args)), calls.join("\n"), withoutAnsi(shown(result))].filter(Boolean);
}

const shown = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const quoted = (text: string): string => withoutAnsi(text).replace(/^/gm, "> ");
const code = (text: string): string => (text ? `\`${text.replaceAll("`", "'")}\`` : "");

/** Fenced by more backticks than stand in it. */
function fenced(text: string, indent: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`.replace(/^/gm, indent);
}

/** Has the browser save a text as a file. */
export function download(name: string, ...parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
