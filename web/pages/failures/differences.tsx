import { FailureComparison } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { CollapsibleSection } from "../../parts/fold.tsx";
import { Icon, PathIcon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { formatPlural } from "../../parts/texts/format.ts";

const DIFFERS = "M3 6h10M3 10h10M10.5 3l-5 10";

/**
 * Values that are more frequent in sessions with the failure than in sessions in which the tool worked, with counts.
 */
export function FailureDifferences({ id }: { id: string }) {
  const { data, error, reload } = useQuery(FailureComparison, { id });
  const compared = data?.recordedFailureComparison;
  const detail = compared?.others
    ? `compared with ${formatPlural(compared.others, "session")} in which the tool worked`
    : "";
  return (
    <CollapsibleSection title="What differs" detail={detail}>
      <LoadedContent data={compared} error={error} retry={reload} lines={2}>
        {({ failed, others, differences }) => (
          <ul class="differences">
            {differences.map((one) => (
              <li key={`${one.name} ${one.value}`}>
                <Icon name="plus" class="i-14 dim" />
                <span>
                  <bdi class="dim">{one.name}</bdi> <bdi class="mono">{one.value}</bdi> in {one.failed} of{" "}
                  {formatPlural(failed, "session")} with the failure, and in {one.others || "none"} of the {others}{" "}
                  other sessions
                </span>
              </li>
            ))}
            <li class="dim">
              <PathIcon d={DIFFERS} class="i-14" />
              {closing(others, differences.length)}
            </li>
          </ul>
        )}
      </LoadedContent>
    </CollapsibleSection>
  );
}

function closing(others: number, differ: number): string {
  if (others === 0) return "There is no session with a successful call to compare with.";
  return differ === 0
    ? "No value differs between the sessions with the failure and the sessions without the failure."
    : "No other value differs.";
}
