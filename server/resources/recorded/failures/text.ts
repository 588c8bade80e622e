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
  /** What it says, without what differs from one time to the next. */
  message: string;
}

/** What a failed call says is wrong: the message of a JSON result, else the result. */
export function failureText(result: string): string {
  try {
    return textIn(JSON.parse(result)) ?? result;
  } catch {
    return result;
  }
}

function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { error, message } = value as { error?: unknown; message?: unknown };
  return textIn(error) ?? (typeof message === "string" ? message : undefined);
}

const TITLE = 120;

/** Title of the issue about a failure. */
export const titleOf = ({ tool, result }: FailedEvent): string => {
  const said = failureText(result).replaceAll(/\s+/g, " ").trim();
  return `${tool}: ${clip(said, TITLE) || "failed"}`;
};

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
export function commentOf({ id, sessionId, at, result }: FailedEvent): string {
  const quoted = clip(failureText(result), 500).replaceAll("\n", "\n> ");
  return `Seen again in session \`${sessionId}\`, ${eventLink(sessionId, id)}, at ${at}.\n\n> ${quoted}`;
}

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
