import { NotFound, ToolError } from "../errors.ts";

/** Something a name may stand for. */
export interface NameCandidate {
  id: string;
  /** The names that match it, in order of precedence: a key goes before a name. */
  names: string[];
}

interface NameQuery {
  /** The kind of thing: "team", "user". */
  kind: string;
  /** The written text. */
  text: string;
  /** Called when nothing matches, for what there is to choose from. */
  choices(): Promise<string[]>;
}

const MAX_CHOICES = 30;

/**
 * The one candidate a name means.
 * @throws ToolError with what there is when none matches, and with those that match when several do.
 */
export async function matchName<Found extends NameCandidate>(query: NameQuery, candidates: Found[]): Promise<Found> {
  const matching = bestMatches(query.text.toLowerCase(), candidates);
  const [only, second] = matching;
  if (only && !second) return only;
  if (only) throw new ToolError(ambiguous(query, matching));
  throw new NotFound(unknown(query, await query.choices()));
}

/** The candidates that match by the name of the highest precedence. */
function bestMatches<Found extends NameCandidate>(text: string, candidates: Found[]): Found[] {
  const exact = candidates.filter(({ id }) => id.toLowerCase() === text);
  if (exact.length > 0) return exact;
  const ranks = candidates.map(({ names }) => names.findIndex((name) => name.toLowerCase() === text));
  const top = Math.min(...ranks.filter((rank) => rank >= 0));
  return candidates.filter((_, index) => ranks[index] === top);
}

function ambiguous({ kind, text }: NameQuery, matching: NameCandidate[]): string {
  const shown = matching.map(({ names, id }) => `${names.join(" / ")} (${id})`).join(", ");
  return `"${text}" fits ${matching.length} ${kind}s: ${shown}. Call again with one of the ids.`;
}

function unknown({ kind, text }: NameQuery, choices: string[]): string {
  if (choices.length === 0) return `There is no ${kind} "${text}", and none to choose from. Leave the argument out.`;
  const shown = choices.slice(0, MAX_CHOICES).join(", ");
  const more = choices.length > MAX_CHOICES ? " and more" : "";
  return `There is no ${kind} "${text}". Call again with one of: ${shown}${more}.`;
}
