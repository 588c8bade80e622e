import type { RefObject } from "preact";
import { parseAbsoluteTime } from "../../../formats/moments.ts";
import { type RecordedSessionFilter, SessionHistogram } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { LoadError } from "../../parts/states.tsx";
import { formatPlural } from "../../parts/texts/format.ts";
import { appLocation } from "../../shell/router.ts";
import { SessionFilters } from "./filters.tsx";
import { SessionHistogramChart } from "./histogram.tsx";
import { SessionTotals } from "./totals.tsx";
import { buildTextSearchFilter, readRangeStart, readSelectedRange } from "./url-filter.ts";

/** Time ranges to choose from. */
const RANGES: readonly [value: string, name: string][] = [
  ["-P1D", "Last 24 hours"],
  ["-P7D", "Last 7 days"],
  ["-P30D", "Last 30 days"],
];
const BARS = 96;

/**
 * Returns the time ranges from which the user can choose. If the URL contains another range, the result includes that
 * range.
 */
export const listTimeRanges = (given: string): typeof RANGES =>
  RANGES.some(([value]) => value === given) ? RANGES : [...RANGES, [given, nameOf(given)]];

/**
 * Returns the label of a time range. The range is a duration in days or hours, or the time at which the range begins.
 */
function nameOf(given: string): string {
  const [, days, hours] = /^-P(?:(\d+)D|T(\d+)H)$/.exec(given) ?? [];
  if (days) return `Last ${formatPlural(Number(days), "day")}`;
  return hours ? `Last ${formatPlural(Number(hours), "hour")}` : `Since ${given}`;
}

/**
 * Area above the list: filters, totals of the matching sessions, and a chart. The totals cover the selected time range.
 * The chart covers the whole time range, or only the selected range after the user has zoomed in.
 */
export function SessionsOverview({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const { search } = appLocation.value;
  const { from, to } = readSelectedRange(search);
  const zoomed = search.has("zoom") && from !== undefined;
  const part = { from: from ?? readRangeStart(search), ...(to && { to }) };
  const whole = zoomed ? part : { from: readRangeStart(search) };
  const rules = buildTextSearchFilter(search);
  const filter: RecordedSessionFilter | undefined = rules.and ? rules : undefined;
  const { data, error, reload } = useQuery(SessionHistogram, { ...whole, ...(filter && { filter }), buckets: BARS });
  // If no time range is selected, the totals and the chart use the same query, and the request is sent only once.
  const own = { ...part, ...(filter && { filter }), buckets: from || to ? 1 : BARS };
  const totals = useQuery(SessionHistogram, zoomed ? { ...own, buckets: BARS } : own);
  useReloadOnEvents(async () => {
    await reload();
    if (totals.reload !== reload) await totals.reload();
  });
  const summary = totals.data && <SessionTotals data={totals.data.recordedSessionHistogram} of={timeOf(search)} />;
  return (
    <>
      <SessionFilters field={field} summary={search.has("q") ? null : summary} />
      {data && (
        <SessionHistogramChart
          data={data.recordedSessionHistogram}
          from={zoomed ? undefined : moment(from)}
          to={zoomed ? undefined : moment(to)}
          zoomed={zoomed}
        />
      )}
      {!data && !error && <Awaited />}
      {error && !data && <LoadError words={error.message} retry={reload} />}
    </>
  );
}

/** Placeholder with the height of the chart, so that the list below does not move. */
const Awaited = () => (
  <figure class="hist" aria-hidden="true">
    <figcaption />
    <div class="plot" />
    <div class="axis ticks" />
  </figure>
);

/** Returns the label of the time range that the totals cover. */
function timeOf(search: URLSearchParams): string {
  const { from, to } = readSelectedRange(search);
  if (from || to) return "Selected time range";
  const range = readRangeStart(search);
  return listTimeRanges(range).find(([value]) => value === range)?.[1] ?? "";
}

function moment(text: string | undefined): number | undefined {
  return parseAbsoluteTime(text ?? "")?.getTime();
}
