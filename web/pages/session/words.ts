import type { IconName } from "../../parts/icons.tsx";
import { withoutAnsi } from "../../parts/texts/ansi.ts";
import { clip } from "../../parts/texts/format.ts";
import type { SessionEvent } from "./events.ts";

/** Arguments that say best what a call was about, the first one first. */
const TELLING =
  /"(?:command|file_path|path|pattern|query|url|prompt|description|identifier|name|title|text|content)"\s*:\s*"((?:[^"\\]|\\.)*)/;
const oneLine = (text: string): string => withoutAnsi(text).replace(/\s+/g, " ").trim();

/** The subject of a call, in a line. */
export function about({ brief, kind }: SessionEvent): string {
  if (!/^\s*[[{"]/.test(brief)) return kind === "turn" ? "" : clip(oneLine(brief), 160);
  const found = TELLING.exec(brief)?.[1];
  return clip(oneLine(found ? found.replace(/\\[nrt]/g, " ").replace(/\\(.)/g, "$1") : brief), 160);
}

/** The name of an event: a turn has what was asked, anything else its own name. */
export function nameOf(event: SessionEvent): string {
  if (event.kind !== "turn") return event.name;
  const said = /^\s*[[{"]/.test(event.brief) ? about({ ...event, kind: "tool" }) : oneLine(event.brief);
  return said || event.name;
}

/** Why it failed, in some words. */
export function failureOf({ failed, result }: SessionEvent): string {
  return failed ? clip(oneLine(result ?? ""), 60) || "failed" : "";
}

const ICONS: [test: RegExp, icon: IconName][] = [
  [/bash|shell|exec|terminal|command|run/i, "bash"],
  [/edit|write|patch|replace/i, "edit"],
  [/grep|search|find|glob/i, "grep"],
  [/read|cat|open|view|fetch|get/i, "read"],
  [/deploy|push|publish|release/i, "ship"],
  [/__|\./, "mcp"],
];

/** The drawing of an event's kind. */
export function iconOf({ kind, name }: SessionEvent): IconName {
  if (kind === "turn") return "turn";
  if (kind === "llm") return "llm";
  if (kind === "subagent") return "sub";
  return ICONS.find(([test]) => test.test(name))?.[1] ?? "tools";
}
