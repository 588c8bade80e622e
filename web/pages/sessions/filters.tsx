import type { ComponentChildren, RefObject } from "preact";
import { Icon } from "../../parts/icon.tsx";
import { clip } from "../../parts/texts/format.ts";
import { place, setSearch } from "../../shell/router.ts";
import { conditionsOf, FILTER_NAMES, mistyped, readTyped, unknownFilters } from "./url-filter.ts";

type Field = RefObject<HTMLInputElement | null>;

/** The conditions of the address as chips, and a field to add more. */
export function Filters({ field, summary }: { field: Field; summary: ComponentChildren }) {
  const { search } = place.value;
  return (
    <div class="filters" role="search" aria-label="Filter sessions">
      <NewFilter field={field} />
      {conditionsOf(search).map(({ name, value, label, verb }) => (
        <span key={`${name} ${value}`} class="chip">
          <span>
            {label} {verb} <b>{value}</b>
          </span>
          <Remove name={name} label={`Remove filter: ${label}`} />
        </span>
      ))}
      {mistyped(search).map(({ name, value }) => (
        <span key={name} class="chip" role="alert">
          <Icon name="warn" class="i-14 c-fail" />
          <span>
            <b>{clip(value, 40)}</b> is no time: {name} takes -P7D or 2026-05-01
          </span>
          <Remove name={name} label={`Remove ${name}`} />
        </span>
      ))}
      <button class="btn quiet" type="button" aria-pressed={search.get("failed") !== null} onClick={toggleFailed}>
        <Icon name="fail" class="i-14" />
        With failures
      </button>
      <span class="sum" role="status">
        {summary}
      </span>
      <Unknown names={unknownFilters(search)} />
    </div>
  );
}

/** The field in which a condition or a text is typed. */
function NewFilter({ field }: { field: Field }) {
  const onKey = (event: KeyboardEvent) => {
    const input = field.current;
    if (!input) return;
    if (event.key === "Escape") input.blur();
    if (event.key !== "Enter" || input.value.trim() === "") return;
    setSearch(Object.fromEntries(readTyped(input.value)), false);
    input.value = "";
  };
  return (
    <label class="find">
      <Icon name="filter" class="i-14" />
      <span class="sr">Filter</span>
      <input
        ref={field}
        placeholder="agent:… user:… tool:… trait.plan:… or text"
        onKeyDown={onKey}
        list="filter-names"
      />
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
  <button type="button" aria-label={label} onClick={() => setSearch({ [name]: undefined }, false)}>
    <Icon name="x" class="i-14" />
  </button>
);

/** Says that a name is no filter: what was typed is searched for as text. */
const Unknown = ({ names }: { names: readonly string[] }) =>
  names.length > 0 ? (
    <p class="hint" role="note">
      There is no filter {names.map((name) => `“${name}”`).join(", ")}: it is searched for as text. Filters are{" "}
      {FILTER_NAMES.map((name) => (name.endsWith(".") ? `${name}KEY` : name)).join(", ")}.
    </p>
  ) : null;

/** Shows only sessions in which something failed, or all again. */
export const toggleFailed = (): void =>
  setSearch({ failed: place.peek().search.get("failed") ? undefined : "1" }, false);
