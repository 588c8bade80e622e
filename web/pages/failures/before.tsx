import { CallsFailed, FailureBefore, type FailureBeforeQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Popover } from "../../parts/choose/popover.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { spanOfPlace } from "../../parts/time/range.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { change } from "../usage/figures.ts";

/** Calls of tools, and those of them that failed. */
interface Calls {
  calls: number;
  failures: number;
}

const sumOf = (tools: readonly Calls[]): Calls => ({
  calls: tools.reduce((sum, { calls }) => sum + calls, 0),
  failures: tools.reduce((sum, { failures }) => sum + failures, 0),
});

/** The percentage of calls that failed; undefined where there was no call. */
const shareOf = ({ calls, failures }: Calls): number | undefined =>
  calls === 0 ? undefined : (100 * failures) / calls;
const percent = (share: number | undefined): string => (share === undefined ? "–" : `${share.toFixed(1)} %`);

/** True unless the address says otherwise: the time shown is compared with as long a time before. */
export const isCompared = (): boolean => place.value.search.get("compare") !== "no";

/** Switches the comparison with the time before on and off. */
export const CompareButton = () => (
  <button
    class="btn only-wide"
    type="button"
    aria-pressed={isCompared()}
    onClick={() => setSearch({ compare: isCompared() ? "no" : undefined }, false)}
  >
    Compared with the {spanOfPlace().span} before
  </button>
);

/** The share of the calls that failed, and by how many points it rose or fell. */
export function ShareFailed() {
  const { from, before } = spanOfPlace();
  const { data } = useQuery(CallsFailed, { from, before });
  if (!data) return null;
  const [share, last] = [shareOf(sumOf(data.now.tools)), shareOf(sumOf(data.before.tools))];
  if (share === undefined) return null;
  const points = last === undefined ? 0 : Math.round(10 * (share - last)) / 10;
  return (
    <>
      {" · "}
      <b>{percent(share)}</b> of calls{" "}
      {points !== 0 && (
        <span class={points > 0 ? "c-fail" : ""} title={`${percent(last)} in the time before`}>
          {points > 0 ? "↑" : "↓"}
          {Math.abs(points).toFixed(1)}
          <span class="sr"> points {points > 0 ? "more" : "less"} than in the time before</span>
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

/** A group of failures and the calls of its tool, in the time shown and in the one before. */
export function Before({ group, anchor, close }: BeforeProps) {
  const { from, span, before } = spanOfPlace();
  const { data, error, reload } = useQuery(FailureBefore, { tool: group.tool, group: group.id, from, before });
  return (
    <Popover anchor={anchor} label="Compared with the time before" close={close} atEnd class="before-list">
      <h2>
        {span}, and the {span} before
      </h2>
      <Loaded data={data} error={error} retry={reload} lines={3}>
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
              <Row name="Failed of them" before={shareOf(known.before)} now={shareOf(known.now)} says={percent} />
            </tbody>
          </table>
        )}
      </Loaded>
    </Popover>
  );
}

type Side = FailureBeforeQuery["now"];

/** The count of a group; undefined where some of the time is not counted yet. */
const countIn = ({ truncated, failureGroups: [group] }: Side): number | undefined =>
  truncated ? undefined : (group?.count ?? 0);
/** A figure; a dash where it is unknown. */
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
    <td class="num">{now === undefined || before === undefined ? "–" : change(now, before)}</td>
  </tr>
);
