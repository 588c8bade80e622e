import { CallsFailed, FailureBefore, type FailureBeforeQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Popover } from "../../parts/choose/popover.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { readComparedRanges } from "../../parts/time/range.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import { formatPercentChange } from "../usage/figures.ts";

/** Number of tool calls, and the number that failed. */
interface Calls {
  calls: number;
  failures: number;
}

const sumOf = (tools: readonly Calls[]): Calls => ({
  calls: tools.reduce((sum, { calls }) => sum + calls, 0),
  failures: tools.reduce((sum, { failures }) => sum + failures, 0),
});

/** Returns the percentage of failed calls; undefined without calls. */
const computeFailureRate = ({ calls, failures }: Calls): number | undefined =>
  calls === 0 ? undefined : (100 * failures) / calls;
const percent = (share: number | undefined): string => (share === undefined ? "–" : `${share.toFixed(1)} %`);

/** Returns true unless the address turns off the comparison with the previous period of equal length. */
export const isComparisonShown = (): boolean => appLocation.value.search.get("compare") !== "no";

/** Button that turns the comparison with the previous period on and off. */
export const ComparePeriodsButton = () => (
  <button
    class="btn only-wide"
    type="button"
    aria-pressed={isComparisonShown()}
    onClick={() => setSearchParameters({ compare: isComparisonShown() ? "no" : undefined }, false)}
  >
    Compare with the previous {readComparedRanges().span}
  </button>
);

/** Share of failed calls, with the change in percentage points. */
export function FailureRate() {
  const { from, before } = readComparedRanges();
  const { data } = useQuery(CallsFailed, { from, before });
  if (!data) return null;
  const [share, last] = [computeFailureRate(sumOf(data.now.tools)), computeFailureRate(sumOf(data.before.tools))];
  if (share === undefined) return null;
  const points = last === undefined ? 0 : Math.round(10 * (share - last)) / 10;
  return (
    <>
      {" · "}
      <b>{percent(share)}</b> of calls failed{" "}
      {points !== 0 && (
        <span class={points > 0 ? "c-fail" : ""} title={`${percent(last)} in the previous period`}>
          {points > 0 ? "↑" : "↓"}
          {Math.abs(points).toFixed(1)}
          <span class="sr"> percentage points {points > 0 ? "more" : "less"} than in the previous period</span>
        </span>
      )}
    </>
  );
}

interface BeforeProps {
  group: { id: string; tool: string };
  anchor: HTMLElement;
  close: () => void;
}

/** Count of a failure group and calls of the tool, in the shown period and the previous period. */
export function PeriodComparisonPopover({ group, anchor, close }: BeforeProps) {
  const { from, span, before } = readComparedRanges();
  const { data, error, reload } = useQuery(FailureBefore, { tool: group.tool, group: group.id, from, before });
  return (
    <Popover anchor={anchor} label="Comparison with the previous period" close={close} atEnd class="before-list">
      <h2>
        {span}, compared with the previous {span}
      </h2>
      <LoadedContent data={data} error={error} retry={reload} lines={3}>
        {(known) => (
          <table class="compared">
            <thead>
              <tr>
                <th>
                  <span class="sr">Figure</span>
                </th>
                <th class="num">Before</th>
                <th class="num">Now</th>
                <th class="num">Change</th>
              </tr>
            </thead>
            <tbody>
              <Row name="Count" before={countIn(known.before)} now={countIn(known.now)} />
              <Row name={`Calls of ${group.tool}`} before={known.before.calls} now={known.now.calls} />
              <Row
                name="Failure rate"
                before={computeFailureRate(known.before)}
                now={computeFailureRate(known.now)}
                says={percent}
              />
            </tbody>
          </table>
        )}
      </LoadedContent>
    </Popover>
  );
}

type Side = FailureBeforeQuery["now"];

/** Returns the count of a group; undefined if the period is not completely counted yet. */
const countIn = ({ truncated, failureGroups: [group] }: Side): number | undefined =>
  truncated ? undefined : (group?.count ?? 0);
/** Formats a figure. An unknown figure becomes a dash. */
const plain = (figure: number | undefined): string => figure?.toLocaleString() ?? "–";

interface RowProps {
  name: string;
  before: number | undefined;
  now: number | undefined;
  says?: (figure: number | undefined) => string;
}

const Row = ({ name, before, now, says = plain }: RowProps) => (
  <tr>
    <th scope="row">
      <bdi>{name}</bdi>
    </th>
    <td class="num">{says(before)}</td>
    <td class="num">{says(now)}</td>
    <td class="num">{now === undefined || before === undefined ? "–" : formatPercentChange(now, before)}</td>
  </tr>
);
