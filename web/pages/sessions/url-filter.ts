import type { RecordedSessionFilter } from "../../data/documents.ts";

/** One condition that the address holds. */
export interface Condition {
  /** Parameter of the address, with its value as it stands there. */
  name: string;
  value: string;
  /** How it is shown. */
  label: string;
}

const NAMES = ["agent", "tool", "user", "client", "q"] as const;
const LABELS: Record<string, string> = { agent: "agent", tool: "tool", user: "user", client: "client", q: "text" };
/** Conditions on a key: `trait.plan=pro` in the address. */
const KEYED = /^(trait|meta)\.(.+)$/;

/** The conditions of an address, in its order. */
export function conditionsOf(search: URLSearchParams): Condition[] {
  return [...search].flatMap(([name, value]) => {
    const known = (NAMES as readonly string[]).includes(name);
    const keyed = KEYED.exec(name);
    if (!known && !keyed) return [];
    return [
      {
        name,
        value,
        label: keyed ? `${keyed[1] === "trait" ? "trait" : "metadata"} ${keyed[2]}` : (LABELS[name] ?? name),
      },
    ];
  });
}

/** What the server is asked for an address. */
export function filterOf(search: URLSearchParams): RecordedSessionFilter {
  const and: RecordedSessionFilter[] = conditionsOf(search).map(toFilter);
  if (search.get("failed")) and.push({ hasFailures: { eq: true } });
  const [from, to] = [search.get("from"), search.get("to")];
  if (from) and.push({ startedAt: { gte: from } });
  if (to) and.push({ startedAt: { lt: to } });
  return and.length > 0 ? { and } : {};
}

function toFilter({ name, value }: Condition): RecordedSessionFilter {
  const keyed = KEYED.exec(name);
  if (keyed) {
    const condition = { key: keyed[2] ?? "", in: alternatives(value) };
    return keyed[1] === "trait" ? { user: { traits: condition } } : { metadata: condition };
  }
  if (name === "agent") return { agent: { containsIgnoreCase: value } };
  if (name === "user") return { user: { id: { eq: value } } };
  if (name === "client") return { clientConfig: { containsIgnoreCase: value } };
  if (name === "tool") return { tool: { eq: value } };
  return { text: value };
}

/** A value in an address is text; the recorded one may be a number or true: both count. */
function alternatives(value: string): unknown[] {
  const other = /^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? [JSON.parse(value)] : [];
  return [value, ...other];
}

/** Reads what was typed: `agent:claude-code trait.plan:pro words`. */
export function readTyped(text: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  const words = text.replace(/([\w.-]+):("([^"]*)"|\S+)/g, (all, name, value, inQuotes) => {
    if (!LABELS[name] && !KEYED.test(name)) return all;
    found.push([name, inQuotes ?? value]);
    return " ";
  });
  const rest = words.replace(/\s+/g, " ").trim();
  return rest ? [...found, ["q", rest]] : found;
}
