import type { ComponentChildren } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { OptionChooser, type OptionChooserProps } from "./chooser.tsx";
import { Popover } from "./popover.tsx";

interface PickerProps extends OptionChooserProps {
  /** Text of the chosen value; empty if the children of the button already show the value. */
  value: string;
  class?: string;
  /** True if several options can be chosen. The picker then stays open. */
  many?: boolean;
  /** Reason why the picker is disabled. */
  refused?: string | undefined;
  children: ComponentChildren;
}

/** Button that shows a value and opens a list of options. */
export function OptionPicker({ value, class: more = "val", many = false, refused, children, ...chooser }: PickerProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const choose = (id: string) => {
    if (!many) close();
    chooser.choose(id);
  };
  const make = chooser.make && {
    ...chooser.make,
    make: (text: string) => {
      close();
      chooser.make?.make(text);
    },
  };
  return (
    <>
      <button
        type="button"
        class={more}
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-label={chooser.label}
        disabled={refused !== undefined}
        title={refused}
        onClick={() => setOpen(!open)}
      >
        {value && <span class="sr">{chooser.label}: </span>}
        {children}
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label={chooser.label} close={close}>
          <OptionChooser {...chooser} choose={choose} {...(make && { make })} />
        </Popover>
      )}
    </>
  );
}
