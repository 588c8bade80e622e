import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IssueCounts, type IssueFilter, type IssueGroupBy } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { TrackerIcon } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { appLocation, navigateToQuery } from "../../../shell/router.ts";
import { addConditionsToQuery, parseFilterLine } from "./address.ts";
import { buildSuggestions, type FilterSuggestion, parseLastFilterWord } from "./suggest.ts";

interface FieldProps {
  field: RefObject<HTMLInputElement | null>;
  /** Filter of the listed issues. The field counts the suggested values among the listed issues. */
  filter: IssueFilter;
}

/** Field for filters and search words, with suggestions. */
export function FilterField({ field, filter }: FieldProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [line, setLine] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState<number>();
  const { key } = parseLastFilterWord(line);
  const counted = useCounted(open ? key?.groups : undefined, filter);
  const shown = open ? buildSuggestions(line, counted) : [];
  // While the user types a value, Enter takes the first suggestion. Otherwise Enter searches for the words, unless
  // the user has chosen a suggestion.
  const active = at ?? (key && shown.length > 0 ? 0 : undefined);
  useEffect(() => {
    const onPress = ({ target }: PointerEvent) => {
      if (target instanceof Node && !box.current?.contains(target)) setOpen(false);
    };
    document.addEventListener("pointerdown", onPress, true);
    return () => document.removeEventListener("pointerdown", onPress, true);
  }, []);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const type = (text: string) => {
    setLine(text);
    setAt(undefined);
    setOpen(true);
  };
  const add = (read: ReturnType<typeof parseFilterLine>) => {
    if (read.conditions.length === 0 && !read.words) return;
    navigateToQuery(addConditionsToQuery(appLocation.peek().search, read));
    type("");
  };
  const take = ({ field: next, adds }: FilterSuggestion) => {
    if (adds) add(adds);
    else type(next ?? "");
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      if (open && line) type("");
      else {
        setOpen(false);
        field.current?.blur();
      }
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!open) return setOpen(true);
      const next = (active ?? (event.key === "ArrowDown" ? -1 : shown.length)) + (event.key === "ArrowDown" ? 1 : -1);
      setAt(Math.max(0, Math.min(shown.length - 1, next)));
    } else if (event.key === "Enter") {
      const chosen = active === undefined ? undefined : shown[active];
      if (chosen) take(chosen);
      else add(parseFilterLine(line));
    } else return;
    event.preventDefault();
  };
  return (
    <div class="finder" ref={box}>
      <label class="find">
        <Icon name="filter" class="i-14" />
        <span class="sr">Filter issues</span>
        <input
          ref={field}
          role="combobox"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active !== undefined ? `${id}-${active}` : undefined}
          autocomplete="off"
          placeholder="Filter: state, label, holder, text…"
          value={line}
          onInput={(event) => type(event.currentTarget.value)}
          onPointerDown={() => setOpen(true)}
          onFocus={() => setOpen(true)}
          onBlur={({ relatedTarget }) => !box.current?.contains(relatedTarget as Node | null) && setOpen(false)}
          onKeyDown={onKey}
        />
        <kbd class="only-wide">F</kbd>
      </label>
      <div class="suggest" hidden={shown.length === 0}>
        <div role="listbox" id={`${id}-list`} aria-label="Suggestions" tabIndex={-1} ref={list}>
          {shown.map((suggestion, n) => (
            <>
              {shown[n - 1]?.group !== suggestion.group && (
                <div class="caption" role="presentation">
                  {suggestion.group}
                </div>
              )}
              <div
                key={suggestion.text}
                id={`${id}-${n}`}
                class="mi"
                role="option"
                aria-selected={n === active}
                // Keeps the focus in the field.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(suggestion)}
              >
                {suggestion.icon === "search" ? (
                  <Icon name="search" class="i-14" />
                ) : (
                  <TrackerIcon name={suggestion.icon} class="dim" />
                )}
                <bdi class="cut">{suggestion.text}</bdi>
                <span class="end">{suggestion.detail}</span>
              </div>
            </>
          ))}
        </div>
        <p class="foot only-wide">
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> choose
          </span>
          <span>
            <kbd>↵</kbd> apply
          </span>
          <span>
            <kbd>-</kbd> before a filter excludes
          </span>
        </p>
      </div>
    </div>
  );
}

/** Returns the values of a grouping, each with the number of listed issues. Without a grouping, the list is empty. */
const useCounted = (groupBy: IssueGroupBy | undefined, filter: IssueFilter) =>
  useQuery(IssueCounts, groupBy && { filter, groupBy }).data?.issueGroups.groups ?? [];
