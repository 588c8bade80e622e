import { withoutAnsi } from "../../../parts/texts/ansi.ts";
import { withBidiMarks } from "../../../parts/texts/bidi.ts";
import { bytes, count, duration, exact, money, offset, plural } from "../../../parts/texts/format.ts";
import { mayHoldPicture } from "../../../parts/texts/picture.tsx";
import { piecesOf } from "../../../parts/texts/redacted.tsx";
import { titleOf } from "../../sessions/row.tsx";
import type { EventTree, SessionEvent } from "../events.ts";
import type { Recorded } from "../readings.ts";
import type { Texts } from "../transcript/texts.ts";
import { about, failureOf, nameOf } from "../words.ts";
import { eventsBounded, LONGEST, textsOf } from "./export.ts";
import { STYLE } from "./style.ts";

/** Nothing but the page's own style counts: it runs nothing, and asks nobody for anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A session as one page that stands alone: no script, nothing loaded, and every recorded text as text. */
export async function toHtml(recorded: Recorded, tree: EventTree): Promise<string> {
  const texts = await textsOf(recorded, tree.all);
  const write = (event: SessionEvent): string => eventOf(event, { begin: tree.begin, texts, write });
  const title = escaped(titleOf(recorded));
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head><body><main>`,
    `<header><h1>${title}</h1>${factsOf(recorded)}${limitsOf(tree, texts)}</header>`,
    ...tree.roots.map(write),
    "</main></body></html>\n",
  ].join("\n");
}

/** A text as HTML: each sign that HTML reads stands for itself, and what was taken out shows its rule. */
const shown = (text: string): string =>
  piecesOf(withoutAnsi(text))
    .map((piece) =>
      typeof piece === "string"
        ? escaped(piece)
        : `<span class="redacted" title="Taken out before it was stored">${piece.kind} ${piece.hint}</span>`,
    )
    .join("");

const escaped = (text: string): string =>
  withBidiMarks(text).replace(/[&<>"'\0]/g, (sign) => `&#${sign === "\0" ? 0xfffd : sign.charCodeAt(0)};`);

function factsOf({ totals, brief, source, user, startedAt, id }: Recorded): string {
  const facts: [name: string, value: string][] = [
    ["Agent", source ?? brief.agent ?? "–"],
    ["Models", totals.models.join(", ") || "–"],
    ["User", user?.id ?? "–"],
    ["Started", exact(Date.parse(startedAt))],
    ["Events", `${count(totals.events)}, ${plural(totals.failures, "failure")}`],
    ["Tokens", count(totals.inputTokens + totals.outputTokens)],
    ["Cost", totals.cost === null ? "unknown" : money(totals.cost)],
    ["Session", id],
  ];
  return `<dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join("")}</dl>`;
}

/** Says which texts the page holds in part or not at all. */
function limitsOf({ all }: EventTree, texts: ReadonlyMap<string, Texts>): string {
  const left = all.length - texts.size;
  const cut = `Texts are cut at ${LONGEST.toLocaleString("en")} characters.`;
  return `<p class="dim">${cut}${left > 0 ? ` The texts of ${plural(left, "event")} are left out: ${eventsBounded}.` : ""}</p>`;
}

interface Written {
  begin: number;
  texts: ReadonlyMap<string, Texts>;
  write: (event: SessionEvent) => string;
}

/** An event with those under it. Turns and failures stand open; on paper everything does. */
function eventOf(event: SessionEvent, { begin, texts, write }: Written): string {
  const { kind, failed, latency, open, children } = event;
  const { args, result } = texts.get(event.id) ?? {};
  const state = failed ? `<b class="fail">failed: ${escaped(failureOf(event))}</b>` : open ? "<b>running</b>" : "";
  const line = [
    `<time>${offset(event.at - begin)}</time>`,
    `<strong>${shown(nameOf(event))}</strong>`,
    `<code>${shown(about(event))}</code>`,
    state,
    `<span class="dim">${duration(latency)}</span>`,
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
  if (mayHoldPicture(text)) return `<p class="dim">${name}: a picture of ${bytes(text.length)}, left out.</p>`;
  const cut = text.length > LONGEST ? "…" : "";
  return `<h2>${name}</h2><pre>${shown(text.slice(0, LONGEST))}${cut}</pre>`;
}
