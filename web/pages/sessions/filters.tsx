import type { ComponentChildren, RefObject } from "preact";
import { Icon } from "../../parts/icon.tsx";
import { truncate } from "../../parts/texts/format.ts";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import {
  FILTER_NAMES,
  findInvalidTimes,
  findUnknownFilters,
  parseSessionFilter,
  readSessionConditions,
} from "./url-filter.ts";

type Field = RefObject<HTMLInputElement | null>;

/** Filter conditions from the URL as chips, and a field that adds conditions. */
export function SessionFilters({ field, summary }: { field: Field; summary: ComponentChildren }) {
  const { search } = appLocation.value;
  return (
    <div class="filters" role="search" aria-label="Filter sessions">
      <NewFilter field={field} />
      {readSessionConditions(search).map(({ name, value, label, verb }) => (
        <span key={`${name} ${value}`} class="chip">
          <span>
            {label} {verb} <b>{value}</b>
          </span>
          <Remove name={name} label={`Remove filter: ${label}`} />
        </span>
      ))}
      {findInvalidTimes(search).map(({ name, value }) => (
        <span key={name} class="chip" role="alert">
          <Icon name="warn" class="i-14 c-fail" />
          <span>
            <b>{truncate(value, 40)}</b> is not a valid time. Use a duration such as -P7D or a date such as 2026-05-01
            for {name}.
          </span>
          <Remove name={name} label={`Remove ${name}`} />
        </span>
      ))}
      <button
        class="btn quiet"
        type="button"
        aria-pressed={search.get("failed") !== null}
        onClick={toggleFailedSessions}
      >
        <Icon name="fail" class="i-14" />
        With failures
      </button>
      <span class="sum" role="status">
        {summary}
      </span>
      <Unknown names={findUnknownFilters(search)} />
    </div>
  );
}

/** Field for a condition or a search text. */
function NewFilter({ field }: { field: Field }) {
  const onKey = (event: KeyboardEvent) => {
    const input = field.current;
    if (!input) return;
    if (event.key === "Escape") input.blur();
    if (event.key !== "Enter" || input.value.trim() === "") return;
    setSearchParameters(Object.fromEntries(parseSessionFilter(input.value)), false);
    input.value = "";
  };
  return (
    <label class="find">
      <Icon name="filter" class="i-14" />
      <span class="sr">Filter</span>
      <input ref={field} placeholder="Filter: agent:codex or text" onKeyDown={onKey} list="filter-names" />
      <datalist id="filter-names">
        {FILTER_NAMES.map((name) => (
          <option key={name} value={name.endsWith(".") ? name : `${name}:`} />
        ))}
      </datalist>
      <kbd class="only-wide">F</kbd>
    </label>
  );
}

const Remove = ({ name, label }: { name: string; label: string }) => (
  <button type="button" aria-label={label} onClick={() => setSearchParameters({ [name]: undefined }, false)}>
    <Icon name="x" class="i-14" />
  </button>
);

/** Hint that a typed name is not the name of a filter. Trackway searches for the typed text instead. */
const Unknown = ({ names }: { names: readonly string[] }) =>
  names.length > 0 ? (
    <p class="hint" role="note">
      Unknown {names.length === 1 ? "filter" : "filters"} {names.map((name) => `“${name}”`).join(", ")}. Trackway
      searches for the text instead. Available filters:{" "}
      {FILTER_NAMES.map((name) => (name.endsWith(".") ? `${name}KEY` : name)).join(", ")}.
    </p>
  ) : null;

/** Switches between sessions with failures and all sessions. */
export const toggleFailedSessions = (): void =>
  setSearchParameters({ failed: appLocation.peek().search.get("failed") ? undefined : "1" }, false);
