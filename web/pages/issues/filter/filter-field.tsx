import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IssueCounts, type IssueFilter, type IssueGroupBy } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Drawing } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { place, setQuery } from "../../../shell/router.ts";
import { readTyped, withTyped } from "./address.ts";
import { type Suggestion, suggestionsOf, typedOf } from "./suggest.ts";

interface FieldProps {
  field: RefObject<HTMLInputElement | null>;
  /** The filter of the issues shown: values are counted among them. */
  filter: IssueFilter;
}

/** The field in which filters and words are typed, with what can follow. */
export function FilterField({ field, filter }: FieldProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [line, setLine] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState<number>();
  const { key } = typedOf(line);
  const counted = useCounted(open ? key?.groups : undefined, filter);
  const shown = open ? suggestionsOf(line, counted) : [];
  // A value is taken by Enter at once; words are searched for unless something was chosen.
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
  const add = (read: ReturnType<typeof readTyped>) => {
    if (read.conditions.length === 0 && !read.words) return;
    setQuery(withTyped(place.peek().search, read));
    type("");
  };
  const take = ({ field: next, adds }: Suggestion) => {
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
      else add(readTyped(line));
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
          placeholder="Filter: state, label, holder, words…"
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
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(suggestion)}
              >
                {suggestion.icon === "search" ? (
                  <Icon name="search" class="i-14" />
                ) : (
                  <Drawing name={suggestion.icon} class="dim" />
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
            <kbd>↵</kbd> take
          </span>
          <span>
            <kbd>-</kbd> in front means not
          </span>
        </p>
      </div>
    </div>
  );
}

/** The values of a grouping among the issues shown; empty for none. */
const useCounted = (groupBy: IssueGroupBy | undefined, filter: IssueFilter) =>
  useQuery(IssueCounts, groupBy && { filter, groupBy }).data?.issueGroups.groups ?? [];
