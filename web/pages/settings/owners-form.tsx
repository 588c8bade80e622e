import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { isOwner } from "./parts.tsx";

interface OwnersFormProps {
  /** The name of its fields for a screen reader. */
  legend: string;
  /** Saves what its fields have. */
  save: (form: FormData) => Promise<unknown>;
  /** Classes beside those of a form. */
  class?: string;
  /** Buttons before the one that saves. */
  actions?: ComponentChildren;
  /** A line below the fields, for everybody. */
  hint?: ComponentChildren;
  children: ComponentChildren;
}

/** Settings that owners save and all others read. It says that they were saved, or what was wrong. */
export function OwnersForm({ legend, save, class: own = "", actions, hint, children }: OwnersFormProps) {
  const { busy, error, send } = useSending();
  const [done, setDone] = useState(false);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    setDone(false);
    send(save(new FormData(event.currentTarget as HTMLFormElement)).then(() => setDone(true)));
  };
  return (
    <form class={`stack full ${own}`} onSubmit={onSubmit}>
      <fieldset class={`stack full ${own}`} disabled={!isOwner()}>
        <legend class="sr">{legend}</legend>
        {children}
        {isOwner() && (
          <div class="row">
            {actions}
            <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
              Save
            </button>
          </div>
        )}
      </fieldset>
      {hint && <p class="hint">{hint}</p>}
      <Problem words={error} />
      <p role="status" class="hint">
        {done && "Saved."}
      </p>
    </form>
  );
}

/** One of its settings that is on or off, with what that does. */
export const Switch = ({ name, on, label, hint }: { name: string; on: boolean; label: string; hint: string }) => (
  <label class="row inline">
    <input class="check" type="checkbox" name={name} defaultChecked={on} /> {label}
    <span class="hint"> {hint}</span>
  </label>
);
