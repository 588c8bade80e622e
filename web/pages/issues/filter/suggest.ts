import type { IssueCountsQuery } from "../../../data/documents.ts";
import type { DrawingName } from "../../../parts/drawings.tsx";
import { type Condition, readTyped } from "./address.ts";
import { type FilterKey, KEYS, keyOf } from "./keys.ts";

/** Something that is offered while a filter is typed. */
export interface Suggestion {
  group: "Filters" | "Values" | "Text";
  icon: DrawingName | "search";
  /** Shown before the part that was typed, the part, and after it. */
  text: string;
  detail: string;
  /** The text of the field after it; undefined where something is added to the address. */
  field?: string;
  /** The conditions and words that it adds to the address. */
  adds?: { conditions: Condition[]; words: string };
}

/** The word that is typed at the end of a line: what stands before it, and its key and value. */
export interface Typed {
  before: string;
  not: boolean;
  key?: FilterKey;
  value: string;
}

/** Reads the end of a line. */
export function typedOf(line: string): Typed {
  const [, before = "", minus, name, quoted, bare] =
    /^(.*?)(?<!\S)(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))$/is.exec(line) ?? [];
  const key = name ? keyOf(name.toLowerCase()) : undefined;
  const value = quoted ?? bare ?? "";
  return { before, not: minus === "-", value: name && !key ? `${name}:${value}` : value, ...(key && { key }) };
}

type Counted = IssueCountsQuery["issueGroups"]["groups"];

/** Most values that are offered. */
const MOST = 8;

/** The suggestions for a line; `counted` are the values of its key among the issues shown. */
export function suggestionsOf(line: string, counted: Counted): Suggestion[] {
  const typed = typedOf(line);
  return typed.key ? values(typed, typed.key, counted) : [...keys(typed), ...certain(typed), ...text(line)];
}

const spelled = ({ not }: Typed, name: string, value: string): string =>
  `${not ? "-" : ""}${name}:${/\s/.test(value) ? `"${value}"` : value}`;

function values(typed: Typed, key: FilterKey, counted: Counted): Suggestion[] {
  const wanted = typed.value.toLowerCase();
  const found = new Map<string, string>();
  for (const value of key.values ?? []) found.set(value, "");
  for (const { key: id, name, project, count } of counted) {
    const none = key.values?.find((value) => value === "nobody" || value === "none");
    const full = project ? `${project.name}/${name}` : name;
    const value = id === null ? none : full;
    if (value) found.set(value, count.toLocaleString());
  }
  const fitting = [...found].filter(([value]) => value.toLowerCase().includes(wanted));
  // Values that begin with it come first, and those in use before the others.
  fitting.sort(
    ([a, used], [b, other]) =>
      Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)) ||
      Number(other !== "") - Number(used !== ""),
  );
  // A moment, or a name that no issue shown has, is taken as it is typed.
  const exact = fitting.some(([value]) => value.toLowerCase() === wanted);
  const own: [string, string][] = typed.value && !exact && key.filter(typed.value) ? [[typed.value, ""]] : [];
  return [...fitting.slice(0, MOST), ...own].map(([value, detail]) => ({
    group: "Values",
    icon: key.icon,
    text: `${typed.not ? "-" : ""}${key.name}: ${value}`,
    detail,
    adds: added(typed.before, { name: key.name, value, not: typed.not }),
  }));
}

/** The conditions before it on the line are added too. */
function added(before: string, condition: Condition) {
  const { conditions, words } = readTyped(before);
  return { conditions: [...conditions, condition], words };
}

const keys = (typed: Typed): Suggestion[] =>
  KEYS.filter(({ name }) => name.startsWith(typed.value.toLowerCase())).map(({ name, says, icon }) => ({
    group: "Filters",
    icon,
    text: `${typed.not ? "-" : ""}${name}:`,
    detail: says,
    field: `${typed.before}${spelled(typed, name, "")}`,
  }));

/** Values that are the same everywhere, found by their beginning. */
const certain = (typed: Typed): Suggestion[] =>
  typed.value.length < 2
    ? []
    : KEYS.flatMap((key) =>
        (key.values ?? [])
          .filter((value) => value.startsWith(typed.value.toLowerCase()))
          .map((value) => ({
            group: "Values" as const,
            icon: key.icon,
            text: `${typed.not ? "-" : ""}${key.name}: ${value}`,
            detail: key.says,
            adds: added(typed.before, { name: key.name, value, not: typed.not }),
          })),
      ).slice(0, MOST);

function text(line: string): Suggestion[] {
  const read = readTyped(line);
  if (!line.trim()) return [];
  const said = read.words ? `Issues with “${read.words}”` : line.trim();
  return [{ group: "Text", icon: "search", text: said, detail: "", adds: read }];
}
