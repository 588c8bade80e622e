import type { RefObject } from "preact";
import { parseAbsolute } from "../../../formats/moments.ts";
import { type RecordedSessionFilter, SessionHistogram } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Failure } from "../../parts/states.tsx";
import { place } from "../../shell/router.ts";
import { Filters } from "./filters.tsx";
import { HistogramFigure } from "./histogram.tsx";
import { Totals } from "./totals.tsx";
import { narrowedTo, rangeOf, searchFilterOf } from "./url-filter.ts";

/** The longest time shown above the list. */
const RANGES: readonly [value: string, name: string][] = [
  ["-P1D", "Last 24 hours"],
  ["-P7D", "Last 7 days"],
  ["-P30D", "Last 30 days"],
];
const BARS = 96;

/** The times to choose from, with the one of the address. */
export const rangesWith = (given: string): typeof RANGES =>
  RANGES.some(([value]) => value === given) ? RANGES : [...RANGES, [given, `Since ${given}`]];

/**
 * The filters, what the sessions that pass them come to, and their course above the list: of the time chosen, or of the
 * part that is zoomed into.
 */
export function Overview({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const { search } = place.value;
  const { from, to } = narrowedTo(search);
  const zoomed = search.has("zoom") && from !== undefined;
  const part = { from: from ?? rangeOf(search), ...(to && { to }) };
  const whole = zoomed ? part : { from: rangeOf(search) };
  const rules = searchFilterOf(search);
  const filter: RecordedSessionFilter | undefined = rules.and ? rules : undefined;
  const { data, error, reload } = useQuery(SessionHistogram, { ...whole, ...(filter && { filter }), buckets: BARS });
  // The same question as that for the bars unless a part is chosen: it is asked once then.
  const own = { ...part, ...(filter && { filter }), buckets: from || to ? 1 : BARS };
  const totals = useQuery(SessionHistogram, zoomed ? { ...own, buckets: BARS } : own);
  useTouched(async () => {
    await reload();
    if (totals.reload !== reload) await totals.reload();
  });
  const summary = totals.data && <Totals data={totals.data.recordedSessionHistogram} of={timeOf(search)} />;
  return (
    <>
      <Filters field={field} summary={search.has("q") ? null : summary} />
      {data && (
        <HistogramFigure
          data={data.recordedSessionHistogram}
          from={zoomed ? undefined : moment(from)}
          to={zoomed ? undefined : moment(to)}
          zoomed={zoomed}
        />
      )}
      {!data && !error && <Awaited />}
      {error && !data && <Failure words={error.message} retry={reload} />}
    </>
  );
}

/** As high as the figure that is awaited, so that the list below it stays where it is. */
const Awaited = () => (
  <figure class="hist" aria-hidden="true">
    <figcaption />
    <div class="plot" />
    <div class="axis ticks" />
  </figure>
);

/** The time that the totals are of. */
function timeOf(search: URLSearchParams): string {
  const { from, to } = narrowedTo(search);
  if (from || to) return "The part chosen";
  const range = rangeOf(search);
  return rangesWith(range).find(([value]) => value === range)?.[1] ?? "";
}

function moment(text: string | undefined): number | undefined {
  return parseAbsolute(text ?? "")?.getTime();
}
