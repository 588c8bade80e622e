import { truncate } from "../results/format.ts";
import type { EventNode } from "./event.ts";
import { failureMessage, fingerprintOf } from "./fingerprint.ts";

/** Calls of one session that failed in the same way. */
export interface Failure {
  fingerprint: string;
  /** The last of them. */
  event: EventNode;
  count: number;
  message: string;
}

/** The failures among some events, each kind once. A turn that failed because of a call in it counts as that call. */
export function failuresOf(events: EventNode[]): Failure[] {
  const failed = events.filter(({ success }) => !success);
  const parents = new Set(failed.map(({ parentId }) => parentId));
  const kinds = new Map<string, Failure>();
  for (const event of failed) {
    if (parents.has(event.id)) continue;
    const fingerprint = fingerprintOf(event.primitiveName, event.result);
    const count = (kinds.get(fingerprint)?.count ?? 0) + 1;
    kinds.set(fingerprint, { fingerprint, event, count, message: failureMessage(event.result) });
  }
  return [...kinds.values()];
}

/** The text in an issue's description by which the issue about a failure is found again. */
export const fingerprintTag = ({ fingerprint }: Failure) => `trackway-failure-${fingerprint}`;

/** Title and description of the issue about a failure. */
export function issueText(failure: Failure, sessionId: string, user: string | undefined) {
  const { event, message, count } = failure;
  const title = `${event.primitiveName}: ${truncate(message.replaceAll(/\s+/g, " ").trim(), 120) ?? "failed"}`;
  const description = [
    `\`${event.primitiveName}\` failed${count > 1 ? ` ${count} times` : ""} in a recorded session.`,
    fenced("Arguments", event.args, 2_000),
    fenced("Result", event.result, 4_000),
    `Session \`${sessionId}\`, event \`${event.id}\`, at ${event.timestamp}${user ? `, user \`${user}\`` : ""}.`,
    `\`${fingerprintTag(failure)}\``,
  ];
  return { title, description: description.join("\n\n") };
}

/** The comment on the open issue when a failure comes again. */
export function commentText({ event, message, count }: Failure, sessionId: string): string {
  const times = count > 1 ? ` ${count} times` : "";
  const quoted = truncate(message, 500) ?? "";
  return `Seen again${times} in session \`${sessionId}\`, event \`${event.id}\`, at ${event.timestamp}.\n\n> ${quoted.replaceAll("\n", "\n> ")}`;
}

/** A code block with a fence longer than any in the text, so that the text cannot end it. */
function fenced(name: string, value: string, most: number): string {
  const longest = Math.max(2, ...[...value.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${name}:\n\n${fence}\n${truncate(value, most) ?? ""}\n${fence}`;
}
