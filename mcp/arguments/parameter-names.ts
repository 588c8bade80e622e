/** The parameters that have another name than the field or argument of the API they are passed on as: the first that a tool has. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  id: ["issue", "session_id", "event_id"],
  parentId: ["reply_to", "parent"],
  relatedIssueId: ["to"],
  failureGroupId: ["failure"],
  labelIds: ["labels"],
  addedLabelIds: ["add_labels"],
  removedLabelIds: ["remove_labels"],
  projectMilestoneId: ["milestone"],
  dueDate: ["due"],
  startDate: ["start"],
  targetDate: ["target"],
  startsAt: ["starts"],
  endsAt: ["ends"],
  statusId: ["state"],
  comment: ["summary"],
  term: ["text", "query"],
  from: ["since"],
  to: ["until"],
  first: ["limit"],
  after: ["cursor"],
};

const MAX_QUOTED = 80;

/** A text about arguments of the API, in the names that the parameters of a tool have for them. What was given is quoted in part. */
export function inParameters(text: string, parameters: readonly string[]): string {
  const cut = text.replace(/(?<=")[^"]+(?=")/g, (quoted) =>
    quoted.length > MAX_QUOTED ? `${quoted.slice(0, MAX_QUOTED)}…` : quoted,
  );
  return cut
    .split(/("[^"]*")/)
    .map((part, at) => (at % 2 === 1 ? part : renamed(part, parameters)))
    .join("");
}

const renamed = (text: string, parameters: readonly string[]): string =>
  text
    .replace(
      /(?<=^|; )(?:input\.)?(\w+)((?:\.\w+)*): /g,
      (_, name, rest) => `${parameterFor(name, parameters)}${rest}: `,
    )
    .replace(/\b[a-z]+(?:[A-Z][a-z]+)*(?:Ids?|At|Date)\b/g, (name) => parameterFor(name, parameters));

/** The parameter for a name of the API; where a tool has none, the name in words. */
function parameterFor(name: string, parameters: readonly string[]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const snake = words.replaceAll(" ", "_");
  const candidates = [name, snake, snake.replace(/_ids?$/, ""), ...(PARAMETERS[name] ?? [])];
  return candidates.find((each) => parameters.includes(each)) ?? words.replace(/ ids?$/, "");
}
