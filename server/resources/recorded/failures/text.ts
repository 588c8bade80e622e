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
