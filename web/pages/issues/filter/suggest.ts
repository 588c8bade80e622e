import type { IssueCountsQuery } from "../../../data/documents.ts";
import type { TrackerIconName } from "../../../parts/drawings.tsx";
import { type FilterCondition, parseFilterLine } from "./address.ts";
import { FILTER_KEYS, type FilterKey, findFilterKey } from "./keys.ts";

/** Suggestion for the filter that the user types. */
export interface FilterSuggestion {
  group: "Filters" | "Values" | "Text";
  icon: TrackerIconName | "search";
  /** Text of the suggestion. */
  text: string;
  detail: string;
  /** Text that the suggestion puts into the field; undefined if the suggestion changes the URL instead. */
  field?: string;
  /** Conditions and words to add to the address. */
  adds?: { conditions: FilterCondition[]; words: string };
}

/** Word at the end of a typed line: the text before the word, the key and the value. */
export interface TypedFilterWord {
  before: string;
  not: boolean;
  key?: FilterKey;
  value: string;
}

/** Parses the word at the end of a line. */
export function parseLastFilterWord(line: string): TypedFilterWord {
  const [, before = "", minus, name, quoted, bare] =
    /^(.*?)(?<!\S)(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))$/is.exec(line) ?? [];
  const key = name ? findFilterKey(name.toLowerCase()) : undefined;
  const value = quoted ?? bare ?? "";
  return { before, not: minus === "-", value: name && !key ? `${name}:${value}` : value, ...(key && { key }) };
}

type Counted = IssueCountsQuery["issueGroups"]["groups"];

/** Maximum number of suggested values. */
const MOST = 8;

/**
 * Returns the suggestions for a line. `counted` contains the values that the listed issues have for the key at the end
 * of the line.
 */
export function buildSuggestions(line: string, counted: Counted): FilterSuggestion[] {
  const typed = parseLastFilterWord(line);
  return typed.key
    ? suggestValues(typed, typed.key, counted)
    : [...suggestKeys(typed), ...suggestFixedValues(typed), ...suggestText(line)];
}

const spelled = ({ not }: TypedFilterWord, name: string, value: string): string =>
  `${not ? "-" : ""}${name}:${/\s/.test(value) ? `"${value}"` : value}`;

function suggestValues(typed: TypedFilterWord, key: FilterKey, counted: Counted): FilterSuggestion[] {
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
  // Values that begin with the typed text come first, then values that the listed issues have.
  fitting.sort(
    ([a, used], [b, other]) =>
      Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)) ||
      Number(other !== "") - Number(used !== ""),
  );
  // A valid value that is not in the list, such as a time or another name, is suggested as typed.
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

/** Returns the conditions and words before a condition on the line, with this condition added. */
function added(before: string, condition: FilterCondition) {
  const { conditions, words } = parseFilterLine(before);
  return { conditions: [...conditions, condition], words };
}

const suggestKeys = (typed: TypedFilterWord): FilterSuggestion[] =>
  FILTER_KEYS.filter(({ name }) => name.startsWith(typed.value.toLowerCase())).map(({ name, says, icon }) => ({
    group: "Filters",
    icon,
    text: `${typed.not ? "-" : ""}${name}:`,
    detail: says,
    field: `${typed.before}${spelled(typed, name, "")}`,
  }));

/** Returns fixed values that begin with the typed text. */
const suggestFixedValues = (typed: TypedFilterWord): FilterSuggestion[] =>
  typed.value.length < 2
    ? []
    : FILTER_KEYS.flatMap((key) =>
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

function suggestText(line: string): FilterSuggestion[] {
  const read = parseFilterLine(line);
  if (!line.trim()) return [];
  const said = read.words ? `Issues with “${read.words}”` : line.trim();
  return [{ group: "Text", icon: "search", text: said, detail: "", adds: read }];
}
