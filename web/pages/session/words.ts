import type { IconName } from "../../parts/icons.tsx";
import { removeAnsi } from "../../parts/texts/ansi.ts";
import { truncate } from "../../parts/texts/format.ts";
import type { SessionEvent } from "./events.ts";

/**
 * Names of the arguments that describe a call best. The summary of a call shows the first argument with such a name.
 */
const TELLING =
  /"(?:command|file_path|path|pattern|query|url|prompt|description|identifier|name|title|text|content)"\s*:\s*"((?:[^"\\]|\\.)*)/;
const toOneLine = (text: string): string => removeAnsi(text).replace(/\s+/g, " ").trim();

/** Returns a one-line summary of a call's arguments. */
export function summarizeArguments({ brief, kind }: SessionEvent): string {
  if (!/^\s*[[{"]/.test(brief)) return kind === "turn" ? "" : truncate(toOneLine(brief), 160);
  const found = TELLING.exec(brief)?.[1];
  return truncate(toOneLine(found ? found.replace(/\\[nrt]/g, " ").replace(/\\(.)/g, "$1") : brief), 160);
}

/** Returns the name of an event. A turn is named after the prompt. */
export function formatEventName(event: SessionEvent): string {
  if (event.kind !== "turn") return event.name;
  const said = /^\s*[[{"]/.test(event.brief) ? summarizeArguments({ ...event, kind: "tool" }) : toOneLine(event.brief);
  return said || event.name;
}

/** Returns the beginning of the error of a failed event; empty for other events. */
export function formatFailureText({ failed, result }: SessionEvent): string {
  return failed ? truncate(toOneLine(result ?? ""), 60) || "failed" : "";
}

const ICONS: [test: RegExp, icon: IconName][] = [
  [/bash|shell|exec|terminal|command|run/i, "bash"],
  [/edit|write|patch|replace/i, "edit"],
  [/grep|search|find|glob/i, "grep"],
  [/read|cat|open|view|fetch|get/i, "read"],
  [/deploy|push|publish|release/i, "ship"],
  [/__|\./, "mcp"],
];

export function getEventIcon({ kind, name }: SessionEvent): IconName {
  if (kind === "turn") return "turn";
  if (kind === "llm") return "llm";
  if (kind === "subagent") return "sub";
  return ICONS.find(([test]) => test.test(name))?.[1] ?? "tools";
}
