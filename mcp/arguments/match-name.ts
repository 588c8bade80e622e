import { ToolError } from "../errors.ts";

/** Something a name may mean. */
export interface NameCandidate {
  id: string;
  /** What it answers to, the most telling first: a key before a name. */
  names: string[];
}

interface Question {
  /** What is looked for: "team", "user". */
  kind: string;
  /** What the caller wrote. */
  text: string;
  /** Called when nothing fits, for what there is to choose from. */
  choices(): Promise<string[]>;
}

const MOST_CHOICES = 30;

/**
 * The one candidate a name means.
 * @throws ToolError listing what there is, when none fits, or what fits, when several do.
 */
export async function matchName<Found extends NameCandidate>(question: Question, candidates: Found[]): Promise<Found> {
  const fitting = best(question.text.toLowerCase(), candidates);
  const [only, second] = fitting;
  if (only && !second) return only;
  if (only) throw new ToolError(ambiguous(question, fitting));
  throw new ToolError(unknown(question, await question.choices()));
}

/** Those that fit by their most telling name that fits any. */
function best<Found extends NameCandidate>(text: string, candidates: Found[]): Found[] {
  const exact = candidates.filter(({ id }) => id.toLowerCase() === text);
  if (exact.length > 0) return exact;
  const ranks = candidates.map(({ names }) => names.findIndex((name) => name.toLowerCase() === text));
  const top = Math.min(...ranks.filter((rank) => rank >= 0));
  return candidates.filter((_, index) => ranks[index] === top);
}

function ambiguous({ kind, text }: Question, fitting: NameCandidate[]): string {
  const shown = fitting.map(({ names, id }) => `${names.join(" / ")} (${id})`).join(", ");
  return `"${text}" fits ${fitting.length} ${kind}s: ${shown}. Call again with one of the ids.`;
}

function unknown({ kind, text }: Question, choices: string[]): string {
  if (choices.length === 0) return `There is no ${kind} "${text}", and none to choose from. Leave the argument out.`;
  const shown = choices.slice(0, MOST_CHOICES).join(", ");
  const more = choices.length > MOST_CHOICES ? " and more" : "";
  return `There is no ${kind} "${text}". Call again with one of: ${shown}${more}.`;
}
