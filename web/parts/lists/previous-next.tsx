import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Icon } from "../icon.tsx";

interface PreviousNextProps {
  /** Noun for an entry, such as "session". */
  of: string;
  /** Index of the entry in the list, from zero. */
  at: number;
  /** Number of entries as shown: "60+". */
  total: string;
  isLast: boolean;
  keys: readonly [previous: string, next: string];
  go: (by: 1 | -1) => void;
}

/** Position of an entry in the list from which the user came, with links to the previous and the next entry. */
export function PreviousNext({ of, at, total, isLast, keys: [previous, next], go }: PreviousNextProps) {
  useKeyboardShortcuts({ [previous]: () => at > 0 && go(-1), [next]: () => !isLast && go(1) });
  return (
    <span class="row neighbours">
      <span class="dim only-wide">
        {at + 1} of {total}
      </span>
      <Step name={`Previous ${of}`} keyName={previous} icon="up" off={at === 0} act={() => go(-1)} />
      <Step name={`Next ${of}`} keyName={next} icon="dn" off={isLast} act={() => go(1)} />
    </span>
  );
}

interface StepProps {
  name: string;
  keyName: string;
  icon: "up" | "dn";
  off: boolean;
  act: () => void;
}

const Step = ({ name, keyName, icon, off, act }: StepProps) => (
  <button
    class="btn quiet sq"
    type="button"
    aria-label={name}
    title={`${name} in this list (${keyName.toUpperCase()})`}
    disabled={off}
    onClick={act}
  >
    <Icon name={icon} class="i-14" />
  </button>
);
