import type { ComponentChildren } from "preact";
import { Icon } from "../../../parts/icon.tsx";
import { truncate } from "../../../parts/texts/format.ts";
import { appLocation, navigateToQuery, setSearchParameters } from "../../../shell/router.ts";
import {
  type FilterCondition,
  parseFilterConditions,
  removeCondition,
  SEARCH_PARAMETER,
  toIssueFilter,
} from "./address.ts";
import { findFilterKey } from "./keys.ts";

/** Shows each filter condition in the URL as a chip, with a button that removes the condition. */
export function FilterChips({ openOnly }: { openOnly: boolean }) {
  const { search } = appLocation.value;
  const words = search.get(SEARCH_PARAMETER);
  return (
    <>
      {openOnly && (
        <Chip
          says="state is"
          value="open"
          label="Show closed issues too"
          off={() => setSearchParameters({ state: "all" }, false)}
        />
      )}
      {parseFilterConditions(search).map((condition) => (
        <ConditionChip key={JSON.stringify(condition)} condition={condition} search={search} />
      ))}
      {words && (
        <Chip
          says="text"
          value={words}
          label="Remove filter: text"
          off={() => setSearchParameters({ [SEARCH_PARAMETER]: undefined }, false)}
        />
      )}
    </>
  );
}

function ConditionChip({ condition, search }: { condition: FilterCondition; search: URLSearchParams }) {
  const { name, value, not } = condition;
  const off = () => navigateToQuery(removeCondition(search, condition));
  const label = `Remove filter: ${name}`;
  if (toIssueFilter(condition)) {
    return <Chip says={not ? `${name} is not` : `${name} is`} value={value} label={label} off={off} />;
  }
  return (
    <Chip value={value} label={label} off={off} wrong>
      is not a valid value of {name}. Valid: {findFilterKey(name)?.says}
    </Chip>
  );
}

interface ChipProps {
  says?: string;
  value: string;
  label: string;
  off: () => void;
  wrong?: boolean;
  children?: ComponentChildren;
}

const Chip = ({ says, value, label, off, wrong = false, children }: ChipProps) => (
  <span class="chip" role={wrong ? "alert" : undefined}>
    <span class="cut">
      {wrong && <Icon name="warn" class="i-14 c-fail" />}
      {says}{" "}
      <b>
        <bdi>{truncate(value, 60)}</bdi>
      </b>{" "}
      {children}
    </span>
    <button type="button" aria-label={label} onClick={off}>
      <Icon name="x" class="i-14" />
    </button>
  </span>
);
