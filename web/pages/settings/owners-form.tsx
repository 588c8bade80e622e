import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { isCurrentUserOwner } from "./parts.tsx";

interface OwnersFormProps {
  /** Name of the fields for screen readers. */
  legend: string;
  /** Saves the values of the fields. */
  save: (form: FormData) => Promise<unknown>;
  /** Additional classes of the form. */
  class?: string;
  /** Buttons before the save button. */
  actions?: ComponentChildren;
  /** Line below the fields, visible to all members. */
  hint?: ComponentChildren;
  children: ComponentChildren;
}

/** Form of settings that owners can change and other members can read. Shows the result of saving. */
export function OwnerSettingsForm({ legend, save, class: own = "", actions, hint, children }: OwnersFormProps) {
  const { busy, error, send } = useRequest();
  const [done, setDone] = useState(false);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    setDone(false);
    send(save(new FormData(event.currentTarget as HTMLFormElement)).then(() => setDone(true)));
  };
  return (
    <form class={`stack full ${own}`} onSubmit={onSubmit}>
      <fieldset class={`stack full ${own}`} disabled={!isCurrentUserOwner()}>
        <legend class="sr">{legend}</legend>
        {children}
        {isCurrentUserOwner() && (
          <div class="row">
            {actions}
            <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
              Save
            </button>
          </div>
        )}
      </fieldset>
      {hint && <p class="hint">{hint}</p>}
      <ErrorNote words={error} />
      <p role="status" class="hint">
        {done && "Saved."}
      </p>
    </form>
  );
}

/** Checkbox of a setting, with a description. */
export const SettingCheckbox = ({
  name,
  on,
  label,
  hint,
}: {
  name: string;
  on: boolean;
  label: string;
  hint: string;
}) => (
  <label class="row inline">
    <input class="check" type="checkbox" name={name} defaultChecked={on} /> {label}
    <span class="hint"> {hint}</span>
  </label>
);
