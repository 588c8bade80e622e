import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";

interface SignInCardProps {
  title: string;
  lead?: ComponentChildren;
  /** Text above the title. */
  above?: ComponentChildren;
  wide?: boolean;
  children?: ComponentChildren;
}

/** A page in front of the app: one box. */
export function SignInCard({ title, lead, above, wide = false, children }: SignInCardProps) {
  useEffect(() => {
    document.title = `${title} · Trackway`;
  }, [title]);
  return (
    <>
      <header class="door-head">
        <span class="brand">
          <Icon name="mark" class="mark" />
          Trackway
        </span>
      </header>
      <main class="door" id="main" tabIndex={-1}>
        <section class={wide ? "box wide" : "box"}>
          {above}
          <div>
            <h1 dir="auto">{title}</h1>
            {lead && <p class="lead">{lead}</p>}
          </div>
          {children}
        </section>
      </main>
    </>
  );
}

/** A field of such a form. */
export interface SignInField<Name extends string = string> {
  name: Name;
  label: string;
  type?: "text" | "email" | "password";
  autocomplete?: string;
  hint?: string;
  /** Beside its label. */
  aside?: ComponentChildren;
}

interface SignInFormProps<Name extends string> {
  fields: readonly SignInField<Name>[];
  action: string;
  /** There is another way, which stands first. */
  second?: boolean;
  submit: (values: Record<Name, string>) => Promise<unknown>;
  /** Further inputs, below the fields. */
  more?: ComponentChildren;
  children?: ComponentChildren;
}

/** A form that sends what stands in its fields, and says what was wrong with it. */
export function SignInForm<const Name extends string>({
  fields,
  action,
  second = false,
  submit,
  more,
  children,
}: SignInFormProps<Name>) {
  const { busy, error, send } = useSending();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<Name, string>;
    send(submit(values));
  };
  return (
    <form onSubmit={onSubmit}>
      {fields.map(({ name, label, type = "text", autocomplete, hint, aside }, at) => (
        <div key={name} class="field">
          <div class="row between">
            <label for={`door-${name}`}>{label}</label>
            {aside}
          </div>
          <input
            class="in"
            id={`door-${name}`}
            name={name}
            {...{ type: type as "text" }}
            autocomplete={autocomplete}
            required
            autofocus={at === 0}
          />
          {hint && <span class="hint">{hint}</span>}
        </div>
      ))}
      {more}
      <Problem words={error} icon="fail" />
      <button class={second ? "btn" : "btn pri"} type="submit" disabled={busy} aria-busy={busy}>
        {action}
      </button>
      {children}
    </form>
  );
}
