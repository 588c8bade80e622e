import { appLocation, setSearchParameters } from "../../shell/router.ts";

const RANGES: [value: string, span: string, before: string][] = [
  ["-P1D", "24 hours", "-P2D"],
  ["-P7D", "7 days", "-P14D"],
  ["-P30D", "30 days", "-P60D"],
];

/** Reads the time range from the URL; by default the last seven days. */
export const readTimeRange = (): string => {
  const given = appLocation.value.search.get("range");
  return RANGES.some(([value]) => value === given) ? (given as string) : "-P7D";
};

/**
 * Reads the time range from the URL. Returns the beginning, the length as text such as “7 days”, and the beginning of
 * the preceding range of the same length.
 */
export function readComparedRanges(): { from: string; span: string; before: string } {
  const from = readTimeRange();
  const [, span = "", before = ""] = RANGES.find(([value]) => value === from) ?? [];
  return { from, span, before };
}

/** Selection field for the time range of a page. */
export const TimeRangeSelect = () => (
  <select
    class="in"
    aria-label="Time range"
    value={readTimeRange()}
    onChange={(event) => setSearchParameters({ range: event.currentTarget.value }, false)}
  >
    {RANGES.map(([value, span]) => (
      <option key={value} value={value}>
        Last {span}
      </option>
    ))}
  </select>
);
