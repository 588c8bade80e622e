import { place, setSearch } from "../../shell/router.ts";

const RANGES: [value: string, name: string][] = [
  ["-P1D", "Last 24 hours"],
  ["-P7D", "Last 7 days"],
  ["-P30D", "Last 30 days"],
];

/** The time that the address names, the last seven days unless it does. */
export const rangeOfPlace = (): string => {
  const given = place.value.search.get("range");
  return RANGES.some(([value]) => value === given) ? (given as string) : "-P7D";
};

/** Chooses the time that a page shows. */
export const Range = () => (
  <select
    class="in"
    aria-label="Time"
    value={rangeOfPlace()}
    onChange={(event) => setSearch({ range: event.currentTarget.value }, false)}
  >
    {RANGES.map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </select>
);
