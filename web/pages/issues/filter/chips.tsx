import type { ComponentChildren } from "preact";
import { Icon } from "../../../parts/icon.tsx";
import { clip } from "../../../parts/texts/format.ts";
import { place, setQuery, setSearch } from "../../../shell/router.ts";
import { type Condition, conditionsOf, filterOfCondition, WORDS, without } from "./address.ts";
import { keyOf } from "./keys.ts";

/** The conditions of the address, each with a button that takes it off. */
export function Chips({ openOnly }: { openOnly: boolean }) {
  const { search } = place.value;
  const words = search.get(WORDS);
  return (
    <>
      {openOnly && (
        <Chip
          says="state is"
          value="open"
          label="Show closed issues too"
          off={() => setSearch({ state: "all" }, false)}
        />
      )}
      {conditionsOf(search).map((condition) => (
        <ConditionChip key={JSON.stringify(condition)} condition={condition} search={search} />
      ))}
      {words && (
        <Chip
          says="words"
          value={words}
          label="Remove filter: words"
          off={() => setSearch({ [WORDS]: undefined }, false)}
        />
      )}
    </>
  );
}

function ConditionChip({ condition, search }: { condition: Condition; search: URLSearchParams }) {
  const { name, value, not } = condition;
  const off = () => setQuery(without(search, condition));
  const label = `Remove filter: ${name}`;
  if (filterOfCondition(condition)) {
    return <Chip says={not ? `${name} is not` : `${name} is`} value={value} label={label} off={off} />;
  }
  return (
    <Chip value={value} label={label} off={off} wrong>
      is nothing that {name} can be: {keyOf(name)?.says}
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
        <bdi>{clip(value, 60)}</bdi>
      </b>{" "}
      {children}
    </span>
    <button type="button" aria-label={label} onClick={off}>
      <Icon name="x" class="i-14" />
    </button>
  </span>
);
