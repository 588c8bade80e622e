import { FailureComparison } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Fold } from "../../parts/fold.tsx";
import { Drawing, Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { plural } from "../../parts/texts/format.ts";

const DIFFERS = "M3 6h10M3 10h10M10.5 3l-5 10";

/** The values that sessions of a group have, and sessions in which the tool worked have not, each counted. */
export function Differences({ id }: { id: string }) {
  const { data, error, reload } = useQuery(FailureComparison, { id });
  const compared = data?.recordedFailureComparison;
  const detail = compared?.others ? `beside ${plural(compared.others, "session")} that worked` : "";
  return (
    <Fold title="What is new" detail={detail}>
      <Loaded data={compared} error={error} retry={reload} lines={2}>
        {({ failed, others, differences }) => (
          <ul class="differences">
            {differences.map((one) => (
              <li key={`${one.name} ${one.value}`}>
                <Icon name="plus" class="i-14 dim" />
                <span>
                  <bdi class="dim">{one.name}</bdi> <bdi class="mono">{one.value}</bdi> in {one.failed} of{" "}
                  {plural(failed, "session")} that failed, and in {one.others || "none"} of the {others} others
                </span>
              </li>
            ))}
            <li class="dim">
              <Drawing d={DIFFERS} class="i-14" />
              {closing(others, differences.length)}
            </li>
          </ul>
        )}
      </Loaded>
    </Fold>
  );
}

function closing(others: number, differ: number): string {
  if (others === 0) return "There is no session in which it worked to compare with.";
  return differ === 0
    ? "No value tells them from the sessions in which it worked."
    : "No other value tells them apart.";
}
