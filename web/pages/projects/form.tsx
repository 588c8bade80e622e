import type { ComponentChildren } from "preact";
import { Dialog } from "../../parts/dialog.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";

interface FormProps {
  title: string;
  action: string;
  /** Sends the values of the fields. */
  send: (fields: FormData) => Promise<unknown>;
  close: () => void;
  /** False until the options of the fields are read. The button is disabled until then. */
  isReady?: boolean;
  children: ComponentChildren;
}

/** Dialog with fields and one button. Closes after a successful request. */
export function FormDialog({ title, action, send: act, close, isReady = true, children }: FormProps) {
  const { busy, error, send } = useRequest();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send(act(new FormData(event.currentTarget as HTMLFormElement)).then(close));
  };
  return (
    <Dialog title={title} close={close}>
      <form class="stack" onSubmit={onSubmit}>
        {children}
        <ErrorNote words={error} />
        <button class="btn pri" type="submit" disabled={busy || !isReady} aria-busy={busy}>
          {action}
        </button>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  name: string;
  value?: string | null | undefined;
  type?: "text" | "date" | "color";
  required?: boolean;
}

/** Text field of a form. */
export const TextField = ({ label, name, value, type = "text", required = false }: FieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      class="in"
      name={name}
      type={type as "text"}
      defaultValue={value ?? ""}
      maxLength={256}
      required={required}
    />
  </label>
);

/** Returns the text of a field; null for an empty field. */
export const readFormText = (fields: FormData, name: string): string | null =>
  String(fields.get(name) ?? "").trim() || null;

/** Bar that shows a percentage. */
export const PercentBar = ({ percent, label }: { percent: number; label: string }) => (
  <span
    class="meter"
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={percent}
    style={{ "--v": percent }}
  >
    <i />
  </span>
);

/** Bar that shows a share as a percentage. `of` is the share, between 0 and 1. */
export const ShareBar = ({ of, label }: { of: number; label: string }) => {
  const percent = Math.round(of * 100);
  return (
    <span class="row">
      <PercentBar percent={percent} label={label} />
      <span class="mono">{percent} %</span>
    </span>
  );
};
