import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import { Icon } from "../icon.tsx";

export interface PickerOption {
  id: string;
  name: string;
  icon?: ComponentChildren;
  /** Further information after the name. */
  detail?: string | undefined;
  /** Reason why the option cannot be chosen. */
  refused?: string | undefined;
}

/** Properties of a chooser. */
export interface OptionChooserProps {
  /** Name of the property, such as "State". */
  label: string;
  options: readonly PickerOption[];
  chosen: readonly string[];
  choose: (id: string) => void;
  /** Called with each typed text if the server finds the options. Otherwise the chooser filters the options by name. */
  find?: (text: string) => void;
  /** Creates a new option from the typed text if no option has that name. */
  make?: { says: (text: string) => string; make: (text: string) => void };
}

/** Maximum number of visible options. The user finds further options by typing. */
const MOST = 100;

/** Search field with a list of options. The arrow keys move through the list, and Enter chooses an option. */
export function OptionChooser({ label, options, chosen, choose, find, make }: OptionChooserProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const fitting = find ? options : options.filter(({ name }) => name.toLowerCase().includes(wanted));
  const shown = fitting.slice(0, MOST);
  const known = options.some(({ name }) => name.toLowerCase() === wanted);
  const makes = make && wanted && !known ? make : undefined;
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex((each) => chosen.includes(each.id)),
    ),
  );
  const last = shown.length + (makes ? 0 : -1);
  const active = Math.min(at, last);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const take = (n: number) => {
    const option = shown[n];
    if (!option) makes?.make(text.trim());
    else if (!option.refused) choose(option.id);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = getOwnProperty({ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }, event.key);
    if (step) setAt(Math.max(0, Math.min(last, active + step)));
    else if (event.key === "Enter" && last >= 0) take(active);
    else return;
    event.preventDefault();
  };
  const onInput = (event: InputEvent & { currentTarget: HTMLInputElement }) => {
    setText(event.currentTarget.value);
    setAt(0);
    find?.(event.currentTarget.value.trim());
  };
  return (
    <>
      <label class="find">
        <Icon name="search" class="i-14" />
        <span class="sr">{label}</span>
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={last >= 0 ? `${id}-${active}` : undefined}
          autocomplete="off"
          placeholder={label}
          value={text}
          onInput={onInput}
          onKeyDown={onKey}
        />
      </label>
      <div role="listbox" id={`${id}-list`} aria-label={label} ref={list}>
        {shown.map((option, n) => (
          <div
            key={option.id}
            id={`${id}-${n}`}
            class="mi"
            role="option"
            aria-selected={n === active}
            aria-disabled={option.refused ? true : undefined}
            title={option.refused ?? option.name}
            onClick={() => take(n)}
          >
            {option.icon}
            <bdi class="cut">{option.name}</bdi>
            <span class="end">
              {option.refused ?? option.detail}
              {chosen.includes(option.id) && (
                <>
                  <Icon name="check" class="i-14" />
                  <span class="sr">selected</span>
                </>
              )}
            </span>
          </div>
        ))}
        {makes && (
          <div
            id={`${id}-${shown.length}`}
            class="mi"
            role="option"
            aria-selected={active === shown.length}
            onClick={() => take(shown.length)}
          >
            <Icon name="plus" class="i-14" />
            <bdi class="cut">{makes.says(text.trim())}</bdi>
          </div>
        )}
        {last < 0 && (
          <div class="mi dim" role="option" aria-selected="false" aria-disabled="true">
            No matches
          </div>
        )}
      </div>
      {fitting.length > MOST && <p class="dim pad">Type to find {fitting.length - MOST} more.</p>}
    </>
  );
}
