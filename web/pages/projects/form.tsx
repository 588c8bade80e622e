import type { ComponentChildren } from "preact";
import { Dialog } from "../../parts/dialog.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";

interface FormProps {
  title: string;
  action: string;
  /** Sends the fields by their names. */
  send: (fields: FormData) => Promise<unknown>;
  close: () => void;
  /** False until what its fields offer is read. */
  isReady?: boolean;
  children: ComponentChildren;
}

/** A dialog with some fields and one button; it closes once they were taken. */
export function FormDialog({ title, action, send: act, close, isReady = true, children }: FormProps) {
  const { busy, error, send } = useSending();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send(act(new FormData(event.currentTarget as HTMLFormElement)).then(close));
  };
  return (
    <Dialog title={title} close={close}>
      <form class="stack" onSubmit={onSubmit}>
        {children}
        <Problem words={error} />
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

/** A field of such a form. */
export const Field = ({ label, name, value, type = "text", required = false }: FieldProps) => (
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

/** The text of a field; null for an empty one. */
export const textOf = (fields: FormData, name: string): string | null => String(fields.get(name) ?? "").trim() || null;

/** The done part of something, as a bar. */
export const Meter = ({ percent, label }: { percent: number; label: string }) => (
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

/** The same from a share of 0 to 1, with the percent beside it. */
export const Progress = ({ of, label }: { of: number; label: string }) => {
  const percent = Math.round(of * 100);
  return (
    <span class="row">
      <Meter percent={percent} label={label} />
      <span class="mono">{percent} %</span>
    </span>
  );
};
