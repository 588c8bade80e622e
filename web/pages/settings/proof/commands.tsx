import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";

/** Maximum number of commands that a team may require. */
const MOST = 10;

interface CommandsProps {
  commands: readonly string[];
  change: (commands: string[]) => void;
  /** Text of the command that the user types; undefined while the field is closed. */
  typed: string | undefined;
  type: (text: string | undefined) => void;
}

/** Commands as chips, each with a remove button, and a field for a new command. */
export function ProofCommands({ commands, change, typed, type }: CommandsProps) {
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // Restores the focus after each action, because the action may remove the focused button.
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
    change(addTypedCommand(commands, typed));
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
            <Icon name="plus" class="i-14" /> Add command
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

/** Returns the list of commands. Appends the typed command if the list does not contain the command yet. */
export function addTypedCommand(commands: readonly string[], typed = ""): string[] {
  const text = typed.trim();
  return text && !commands.includes(text) ? [...commands, text] : [...commands];
}
