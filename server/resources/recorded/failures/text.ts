/** A recorded event that failed. */
export interface FailedEvent {
  id: string;
  sessionId: string;
  tool: string;
  args: string;
  result: string;
  at: string;
  user: string | null;
  groupId: string;
  /** The message, in one line. */
  message: string;
  /** Title of the issue about it. */
  title: string;
}

/** Its description: arguments and result of one of the failures, unless another text is given, and where it is recorded. */
export function descriptionOf(event: FailedEvent, given: string | null | undefined): string {
  const { tool, args, result, sessionId, id, at, user } = event;
  const who = user === null ? "" : `, user \`${user.replaceAll("`", "'")}\``;
  const text = [
    `\`${tool.replaceAll("`", "'")}\` failed in a recorded session.`,
    fenced("Arguments", clip(args, 2_000)),
    fenced("Result", clip(result, 4_000)),
  ].join("\n\n");
  return `${given ?? text}\n\nSession \`${sessionId}\`, ${eventLink(sessionId, id)}, at ${at}${who}.`;
}

/** The comment when a failure comes again while its issue is there. */
export const commentOf = ({ id, sessionId, at, message }: FailedEvent): string =>
  `Seen again in session \`${sessionId}\`, ${eventLink(sessionId, id)}, at ${at}.\n\n> ${message}`;

/** A link in Markdown to a recorded event. */
export const eventLink = (sessionId: string, eventId: string): string =>
  `[event ${eventId}](/sessions/${sessionId}/events/${eventId})`;

const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** A code block with a fence longer than any in the text, so that the text cannot end it. */
function fenced(name: string, value: string): string {
  const longest = Math.max(2, ...[...value.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${name}:\n\n${fence}\n${value}\n${fence}`;
}

/** The place of a quotation that was deleted. */
const DELETED = "[deleted with its session]";

const UUID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}";
/** The line that says where a failure is recorded, and by whom (text.ts). */
const REFERENCE = new RegExp(
  `^(Session|Seen again in session) \`(${UUID})\`, \\[event [^\\]]*\\]\\([^)]*\\), at [^\\n]*$`,
  "gm",
);
const AGAIN = new RegExp(
  `^It happened again after this was completed: \\[event [^\\]]*\\]\\(/sessions/(${UUID})/[^)]*\\), at [^\\n]*$`,
  "gm",
);
/** The blocks with arguments and result of a failure, between fences of equal length. */
const BLOCK = /^(Arguments|Result):\n\n(`{3,})\n[\s\S]*?\n\2$/gm;
const TOOL = /^`([^`\n]*)` failed in a recorded session\.$/m;

/** The sessions that a text quotes. */
export const sessionsIn = (text: string): string[] => [
  ...[...text.matchAll(REFERENCE)].map(([, , session = ""]) => session),
  ...[...text.matchAll(AGAIN)].map(([, session = ""]) => session),
];

/** A text without what it quotes of deleted sessions; what people wrote around it stays. */
export function blanked(text: string, isDeleted: (session: string) => boolean): string {
  if (!sessionsIn(text).some(isDeleted)) return text;
  const quoted = text.replaceAll(REFERENCE, (line, opening: string, session: string) => {
    if (!isDeleted(session)) return line;
    return opening === "Session" ? "The session was deleted." : "Seen again in a session that was deleted.";
  });
  return quoted
    .replaceAll(AGAIN, (line, session: string) =>
      isDeleted(session) ? "It happened again in a session that was deleted." : line,
    )
    .replaceAll(/(?<=session that was deleted\.)\n\n(?:> [^\n]*(?:\n|$))+/g, "")
    .replaceAll(BLOCK, (_, name: string) => `${name}: ${DELETED}`);
}

/** The tool whose failure a description is about. */
export const toolIn = (description: string): string | undefined => TOOL.exec(description)?.[1];

/** A title that quotes a failure of a tool, without the quotation. */
export const titleWithout = (title: string, tool: string): string =>
  title.startsWith(`${tool}: `) ? `${tool}: ${DELETED}` : title;
