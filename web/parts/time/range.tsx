import { place, setSearch } from "../../shell/router.ts";

const RANGES: [value: string, span: string, before: string][] = [
  ["-P1D", "24 hours", "-P2D"],
  ["-P7D", "7 days", "-P14D"],
  ["-P30D", "30 days", "-P60D"],
];

/** The time that the address names, the last seven days unless it does. */
export const rangeOfPlace = (): string => {
  const given = place.value.search.get("range");
  return RANGES.some(([value]) => value === given) ? (given as string) : "-P7D";
};

/** The time of the address: its beginning, how long it is in words, and where as long a time before it begins. */
export function spanOfPlace(): { from: string; span: string; before: string } {
  const from = rangeOfPlace();
  const [, span = "", before = ""] = RANGES.find(([value]) => value === from) ?? [];
  return { from, span, before };
}

/** Chooses the time that a page shows. */
export const Range = () => (
  <select
    class="in"
    aria-label="Time"
    value={rangeOfPlace()}
    onChange={(event) => setSearch({ range: event.currentTarget.value }, false)}
  >
    {RANGES.map(([value, span]) => (
      <option key={value} value={value}>
        Last {span}
      </option>
    ))}
  </select>
);
