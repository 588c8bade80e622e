import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";

/** Commands that a team may demand. */
const MOST = 10;

interface CommandsProps {
  commands: readonly string[];
  change: (commands: string[]) => void;
  /** The text of one that is being typed; undefined while none is. */
  typed: string | undefined;
  type: (text: string | undefined) => void;
}

/** The commands as chips, each with a button that takes it away, and a field for a further one. */
export function Commands({ commands, change, typed, type }: CommandsProps) {
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // A press may remove what was pressed: the field or its button has the focus then.
  const moves = useRef(false);
  useLayoutEffect(() => {
    if (moves.current) (field.current ?? button.current)?.focus();
    moves.current = false;
  });
  const then = (act: () => void) => {
    moves.current = true;
    act();
  };
  const add = () => {
    change(withTyped(commands, typed));
    type(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    then(event.key === "Enter" ? add : () => type(undefined));
  };
  return (
    <ul class="command-chips" aria-label="Commands">
      {commands.map((command) => (
        <li key={command} class="chip">
          <span class="mono cut" title={command}>
            <bdi>{command}</bdi>
          </span>
          <button
            type="button"
            aria-label={`Remove ${command}`}
            onClick={() => then(() => change(commands.filter((other) => other !== command)))}
          >
            <Icon name="x" class="i-14" />
          </button>
        </li>
      ))}
      <li>
        {typed === undefined ? (
          <button
            ref={button}
            class="btn quiet"
            type="button"
            disabled={commands.length >= MOST}
            onClick={() => then(() => type(""))}
          >
            <Icon name="plus" class="i-14" />
            Command
          </button>
        ) : (
          <input
            ref={field}
            class="in mono"
            aria-label="New command"
            placeholder="npm test"
            spellcheck={false}
            value={typed}
            onInput={(event) => type(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </li>
    </ul>
  );
}

/** The commands with the one that is typed, once each. */
export function withTyped(commands: readonly string[], typed = ""): string[] {
  const text = typed.trim();
  return text && !commands.includes(text) ? [...commands, text] : [...commands];
}
