/** A failed recorded event. */
export interface FailedEvent {
  id: string;
  sessionId: string;
  tool: string;
  args: string;
  result: string;
  at: string;
  user: string | null;
  groupId: string;
  /** The message as a single line. */
  message: string;
  /** Title of the issue about the failure. */
  title: string;
}

/**
 * Returns the description of the issue: the given text or, without a text, the arguments and the result of the failed
 * call. A line with the session, the event, the time and the user of the failure follows.
 */
export function failureDescription(event: FailedEvent, given: string | null | undefined): string {
  const { tool, args, result, sessionId, id, at, user } = event;
  const who = user === null ? "" : `, user \`${user.replaceAll("`", "'")}\``;
  const text = [
    `\`${tool.replaceAll("`", "'")}\` failed in a recorded session.`,
    fenced("Arguments", clip(args, 2_000)),
    fenced("Result", clip(result, 4_000)),
  ].join("\n\n");
  return `${given ?? text}\n\nSession \`${sessionId}\`, ${eventLink(sessionId, id)}, at ${at}${who}.`;
}

/** Returns the comment for a failure that occurs again while the issue exists. */
export const failureComment = ({ id, sessionId, at, message }: FailedEvent): string =>
  `Seen again in session \`${sessionId}\`, ${eventLink(sessionId, id)}, at ${at}.\n\n> ${message}`;

/** Returns a Markdown link to a recorded event. */
export const eventLink = (sessionId: string, eventId: string): string =>
  `[event ${eventId}](/sessions/${sessionId}/events/${eventId})`;

const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Returns a code block with a fence longer than any fence in the text, so that the text cannot end the block. */
function fenced(name: string, value: string): string {
  const longest = Math.max(2, ...[...value.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${name}:\n\n${fence}\n${value}\n${fence}`;
}

/** Replacement for a deleted quotation. */
const DELETED = "[deleted with its session]";

const UUID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}";
/**
 * Matches the line with the session, the event, the time and the user of a failure, as written by `failureDescription`
 * and `failureComment`.
 */
const REFERENCE = new RegExp(
  `^(Session|Seen again in session) \`(${UUID})\`, \\[event [^\\]]*\\]\\([^)]*\\), at [^\\n]*$`,
  "gm",
);
const AGAIN = new RegExp(
  `^It happened again after this was completed: \\[event [^\\]]*\\]\\(/sessions/(${UUID})/[^)]*\\), at [^\\n]*$`,
  "gm",
);
/** Matches the blocks with the arguments and the result of a failure, between fences of equal length. */
const BLOCK = /^(Arguments|Result):\n\n(`{3,})\n[\s\S]*?\n\2$/gm;
const TOOL = /^`([^`\n]*)` failed in a recorded session\.$/m;

/** Returns the sessions that a text quotes. */
export const findQuotedSessions = (text: string): string[] => [
  ...[...text.matchAll(REFERENCE)].map(([, , session = ""]) => session),
  ...[...text.matchAll(AGAIN)].map(([, session = ""]) => session),
];

/** Removes quotations of deleted sessions from a text. Text that users wrote around quotations stays. */
export function removeQuotations(text: string, isDeleted: (session: string) => boolean): string {
  if (!findQuotedSessions(text).some(isDeleted)) return text;
  const quoted = text.replaceAll(REFERENCE, (line, opening: string, session: string) => {
    if (!isDeleted(session)) return line;
    return opening === "Session"
      ? "The session was deleted."
      : "The failure occurred again in a session that was deleted.";
  });
  return quoted
    .replaceAll(AGAIN, (line, session: string) =>
      isDeleted(session) ? "The failure happened again in a session that was deleted." : line,
    )
    .replaceAll(/(?<=session that was deleted\.)\n\n(?:> [^\n]*(?:\n|$))+/g, "")
    .replaceAll(BLOCK, (_, name: string) => `${name}: ${DELETED}`);
}

/** Returns the name of the tool whose failure the description of an issue reports. */
export const findQuotedTool = (description: string): string | undefined => TOOL.exec(description)?.[1];

/** Removes the quotation from a title that quotes a tool's failure. */
export const removeTitleQuotation = (title: string, tool: string): string =>
  title.startsWith(`${tool}: `) ? `${tool}: ${DELETED}` : title;
