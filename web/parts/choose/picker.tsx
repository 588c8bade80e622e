import type { ComponentChildren } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { Chooser, type ChooserProps } from "./chooser.tsx";
import { Popover } from "./popover.tsx";

interface PickerProps extends ChooserProps {
  /** The chosen value in words; empty where the button says what is chosen by it. */
  value: string;
  class?: string;
  /** Several can be chosen: it stays open. */
  many?: boolean;
  /** The reason why nothing can be chosen. */
  refused?: string | undefined;
  children: ComponentChildren;
}

/** A button that shows a value, and opens the options beside it. */
export function Picker({ value, class: more = "val", many = false, refused, children, ...chooser }: PickerProps) {
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
          <Chooser {...chooser} choose={choose} {...(make && { make })} />
        </Popover>
      )}
    </>
  );
}
