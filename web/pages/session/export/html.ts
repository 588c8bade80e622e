import { removeAnsi } from "../../../parts/texts/ansi.ts";
import { showBidiControls } from "../../../parts/texts/bidi.ts";
import {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatExactTime,
  formatPlural,
  formatTimeOffset,
} from "../../../parts/texts/format.ts";
import { mayContainPicture } from "../../../parts/texts/picture.tsx";
import { splitAtRedactionMarks } from "../../../parts/texts/redacted.tsx";
import { formatSessionTitle } from "../../sessions/row.tsx";
import type { EventTree, SessionEvent } from "../events.ts";
import type { SessionData } from "../readings.ts";
import type { EventContent } from "../transcript/texts.ts";
import { formatEventName, formatFailureText, summarizeArguments } from "../words.ts";
import { CONTENT_LIMIT_NOTE, MAX_EXPORT_TEXT_LENGTH, readExportContent } from "./export.ts";
import { EXPORT_STYLE } from "./style.ts";

/** Content security policy of the exported page: inline styles only, no scripts and no requests. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/**
 * Exports a session as a self-contained HTML page without scripts and external resources. Recorded content is
 * escaped.
 */
export async function exportHtml(recorded: SessionData, tree: EventTree): Promise<string> {
  const texts = await readExportContent(recorded, tree.all);
  const write = (event: SessionEvent): string => eventOf(event, { begin: tree.begin, texts, write });
  const title = escapeHtml(formatSessionTitle(recorded));
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    `<meta name="robots" content="noindex"><title>${title}</title><style>${EXPORT_STYLE}</style></head><body><main>`,
    `<header><h1>${title}</h1>${factsOf(recorded)}${limitsOf(tree, texts)}</header>`,
    ...tree.roots.map(write),
    "</main></body></html>\n",
  ].join("\n");
}

/** Escapes a text for HTML. The mark of a redacted secret shows the name of the rule. */
const renderText = (text: string): string =>
  splitAtRedactionMarks(removeAnsi(text))
    .map((piece) =>
      typeof piece === "string"
        ? escapeHtml(piece)
        : `<span class="redacted" title="Redacted before storage">${piece.kind} ${piece.hint}</span>`,
    )
    .join("");

const escapeHtml = (text: string): string =>
  showBidiControls(text).replace(/[&<>"'\0]/g, (sign) => `&#${sign === "\0" ? 0xfffd : sign.charCodeAt(0)};`);

function factsOf({ totals, brief, source, user, startedAt, id }: SessionData): string {
  const facts: [name: string, value: string][] = [
    ["Agent", source ?? brief.agent ?? "–"],
    ["Models", totals.models.join(", ") || "–"],
    ["User", user?.id ?? "–"],
    ["Started", formatExactTime(Date.parse(startedAt))],
    ["Events", `${formatCount(totals.events)}, ${formatPlural(totals.failures, "failure")}`],
    ["Tokens", formatCount(totals.inputTokens + totals.outputTokens)],
    ["Cost", totals.cost === null ? "unknown" : formatCost(totals.cost)],
    ["Session", id],
  ];
  return `<dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join("")}</dl>`;
}

/** Explains which content is truncated or omitted. */
function limitsOf({ all }: EventTree, texts: ReadonlyMap<string, EventContent>): string {
  const left = all.length - texts.size;
  const cut = `Content is truncated at ${MAX_EXPORT_TEXT_LENGTH.toLocaleString("en")} characters.`;
  return `<p class="dim">${cut}${left > 0 ? ` The content of ${formatPlural(left, "event")} is left out: ${CONTENT_LIMIT_NOTE}.` : ""}</p>`;
}

interface Written {
  begin: number;
  texts: ReadonlyMap<string, EventContent>;
  write: (event: SessionEvent) => string;
}

/**
 * Renders an event with its children. Turns, failed events and parents of failed events are expanded. Printing expands
 * all events.
 */
function eventOf(event: SessionEvent, { begin, texts, write }: Written): string {
  const { kind, failed, latency, open, children } = event;
  const { args, result } = texts.get(event.id) ?? {};
  const state = failed
    ? `<b class="fail">failed: ${escapeHtml(formatFailureText(event))}</b>`
    : open
      ? "<b>running</b>"
      : "";
  const line = [
    `<time>${formatTimeOffset(event.at - begin)}</time>`,
    `<strong>${renderText(formatEventName(event))}</strong>`,
    `<code>${renderText(summarizeArguments(event))}</code>`,
    state,
    `<span class="dim">${formatDuration(latency)}</span>`,
  ].join(" ");
  const isOpen = kind === "turn" || failed || children.some((child) => child.failed);
  return [
    `<details class="${kind}"${isOpen ? " open" : ""}><summary>${line}</summary><div>`,
    block(kind === "turn" ? "Prompt" : "Arguments", args),
    ...children.map(write),
    block(kind === "turn" ? "Reply" : "Result", result),
    "</div></details>",
  ].join("");
}

function block(name: string, text: string | undefined): string {
  if (!text) return "";
  if (mayContainPicture(text)) return `<p class="dim">${name}: image of ${formatBytes(text.length)}, not included.</p>`;
  const cut = text.length > MAX_EXPORT_TEXT_LENGTH ? "…" : "";
  return `<h2>${name}</h2><pre>${renderText(text.slice(0, MAX_EXPORT_TEXT_LENGTH))}${cut}</pre>`;
}
