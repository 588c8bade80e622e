import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";

interface SignInCardProps {
  title: string;
  lead?: ComponentChildren;
  /** Text above the title. */
  above?: ComponentChildren;
  wide?: boolean;
  children?: ComponentChildren;
}

/** Page for users who are not signed in: one card. */
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

/** Field of a sign-in form. */
export interface SignInField<Name extends string = string> {
  name: Name;
  label: string;
  type?: "text" | "email" | "password";
  autocomplete?: string;
  hint?: string;
  /** Content beside the label. */
  aside?: ComponentChildren;
}

interface SignInFormProps<Name extends string> {
  fields: readonly SignInField<Name>[];
  action: string;
  /** True if the page also offers another way to sign in with a more prominent button. */
  second?: boolean;
  submit: (values: Record<Name, string>) => Promise<unknown>;
  /** Further inputs below the fields. */
  more?: ComponentChildren;
  children?: ComponentChildren;
}

/** Form that submits the values of the fields and shows the error of a failed submission. */
export function SignInForm<const Name extends string>({
  fields,
  action,
  second = false,
  submit,
  more,
  children,
}: SignInFormProps<Name>) {
  const { busy, error, send } = useRequest();
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
      <ErrorNote words={error} icon="fail" />
      <button class={second ? "btn" : "btn pri"} type="submit" disabled={busy} aria-busy={busy}>
        {action}
      </button>
      {children}
    </form>
  );
}
