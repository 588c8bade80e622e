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
