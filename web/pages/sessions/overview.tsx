import type { RefObject } from "preact";
import { parseAbsolute } from "../../../formats/moments.ts";
import { type RecordedSessionFilter, SessionHistogram } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { LoadError } from "../../parts/states.tsx";
import { formatPlural } from "../../parts/texts/format.ts";
import { appLocation } from "../../shell/router.ts";
import { SessionFilters } from "./filters.tsx";
import { HistogramFigure } from "./histogram.tsx";
import { SessionTotals } from "./totals.tsx";
import { buildSearchFilter, readRange, readSelectedRange } from "./url-filter.ts";

/** Time ranges to choose from. */
const RANGES: readonly [value: string, name: string][] = [
  ["-P1D", "Last 24 hours"],
  ["-P7D", "Last 7 days"],
  ["-P30D", "Last 30 days"],
];
const BARS = 96;

/** Returns the time ranges to choose from, including the range of the address. */
export const listRanges = (given: string): typeof RANGES =>
  RANGES.some(([value]) => value === given) ? RANGES : [...RANGES, [given, nameOf(given)]];

/** The name of a time range: a duration of days or hours, or the moment at which it begins. */
function nameOf(given: string): string {
  const [, days, hours] = /^-P(?:(\d+)D|T(\d+)H)$/.exec(given) ?? [];
  if (days) return `Last ${formatPlural(Number(days), "day")}`;
  return hours ? `Last ${formatPlural(Number(hours), "hour")}` : `Since ${given}`;
}

/** Filters, totals of the matching sessions, and the chart above the list, for the chosen range or the zoomed part. */
export function SessionsOverview({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const { search } = appLocation.value;
  const { from, to } = readSelectedRange(search);
  const zoomed = search.has("zoom") && from !== undefined;
  const part = { from: from ?? readRange(search), ...(to && { to }) };
  const whole = zoomed ? part : { from: readRange(search) };
  const rules = buildSearchFilter(search);
  const filter: RecordedSessionFilter | undefined = rules.and ? rules : undefined;
  const { data, error, reload } = useQuery(SessionHistogram, { ...whole, ...(filter && { filter }), buckets: BARS });
  // Without a selected part, the query equals the query for the chart and is sent only once.
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
        <HistogramFigure
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
  const range = readRange(search);
  return listRanges(range).find(([value]) => value === range)?.[1] ?? "";
}

function moment(text: string | undefined): number | undefined {
  return parseAbsolute(text ?? "")?.getTime();
}
