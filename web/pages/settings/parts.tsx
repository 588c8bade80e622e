import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ApiError, addressOf, type Endpoint, type Input, type Reply } from "../../data/api.ts";
import { api, session } from "../../data/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loaded as LoadedData } from "../../parts/lists/loaded.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { Copy } from "../../parts/texts/copy.tsx";

/** True if the one who is signed in owns the organization. */
export const isOwner = (): boolean => session.value?.organization?.role === "owner";

/** The head of a part: what it is, what it is for, and what can be made. */
export const Intro = ({
  title,
  children,
  action,
}: {
  title: string;
  children: ComponentChildren;
  action?: ComponentChildren;
}) => (
  <div class="intro">
    <div class="grow">
      <h2 class="big">{title}</h2>
      <p>{children}</p>
    </div>
    {action}
  </div>
);

/** Says why a part is empty to those who do not own the organization. */
export const OwnersOnly = () => <p class="note">Only owners of the organization see and change this.</p>;

interface Answered<Answer> {
  reply?: Answer;
  error?: ApiError;
  /** Asks again. */
  load: () => Promise<void>;
}

/** The answer of an endpoint, and the way to ask again. */
export function useApi<E extends Endpoint>(endpoint: E, input: Input<E>): Answered<Reply<E>> {
  const [state, setState] = useState<{ reply?: Reply<E>; error?: ApiError }>({});
  const load = (): Promise<void> =>
    api(endpoint, input).then(
      (reply) => setState({ reply }),
      (error: ApiError) => setState((before) => ({ ...before, error })),
    );
  useEffect(() => {
    setState({});
    void load();
  }, [addressOf(endpoint, input)]);
  return { ...state, load };
}

/** Shows what was answered, or that it is awaited, or what went wrong. */
export function Loaded<Answer>({
  of,
  children,
}: {
  of: Answered<Answer>;
  children: (reply: Answer) => ComponentChildren;
}) {
  return (
    <LoadedData data={of.reply} error={of.error} retry={of.load} lines={4}>
      {children}
    </LoadedData>
  );
}

interface FormProps<Name extends string> {
  /** Names of the fields with what they are called, and what is shown in them while empty. */
  fields: readonly {
    name: Name;
    label: string;
    placeholder?: string;
    type?: "text" | "email" | "url";
    value?: string;
  }[];
  action: string;
  /** Fields beside the action, in one line. */
  inline?: boolean;
  /** Takes the fields, and those among the children. */
  submit: (values: Record<Name, string> & Record<string, string>) => Promise<void>;
  children?: ComponentChildren;
}

/** A form that sends what stands in its fields, empties them, and says what was wrong. */
export function Form<const Name extends string>(props: FormProps<Name>) {
  const { fields, action, inline = false, submit, children } = props;
  const { busy, error, send } = useSending();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const values = Object.fromEntries(new FormData(form)) as Parameters<typeof submit>[0];
    send(submit(values).then(() => form.reset()));
  };
  return (
    <form class={inline ? "row inline" : "stack narrow"} onSubmit={onSubmit}>
      {fields.map(({ name, label, placeholder, type = "text", value }) => (
        <label key={name} class={inline ? "" : "field"}>
          <span class={inline ? "sr" : ""}>{label}</span>
          <input
            class="in"
            name={name}
            {...{ type: type as "text" }}
            placeholder={placeholder}
            defaultValue={value}
            required
          />
        </label>
      ))}
      {children}
      <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
        {action}
      </button>
      <Problem words={error} />
    </form>
  );
}

/** A secret that is shown this once. */
export const Once = ({ title, secret, close }: { title: string; secret: string; close: () => void }) => (
  <div class="note ok" role="status">
    <Icon name="okc" />
    <div>
      <b>{title} Copy it now, it is not shown again.</b>
      <div class="secret">
        <code>{secret}</code>
        <Copy text={secret} label="Copy">
          Copy
        </Copy>
      </div>
    </div>
    <button class="btn quiet sq" type="button" aria-label="Close" onClick={close}>
      <Icon name="x" class="i-14" />
    </button>
  </div>
);

interface SureProps {
  title: string;
  action: string;
  /** The words of the button that changes nothing. */
  leave?: string;
  children: ComponentChildren;
  act: () => Promise<unknown>;
  close: () => void;
}

/** Asks before something is lost. */
export function Sure({ title, action, leave = "Keep it", children, act, close }: SureProps) {
  const [error, setError] = useState("");
  return (
    <Dialog title={title} close={close}>
      <p class="mid">{children}</p>
      <Problem words={error} />
      <div class="row">
        <button
          class="btn bad"
          type="button"
          onClick={() => act().then(close, (failure: Error) => setError(failure.message))}
        >
          {action}
        </button>
        <button class="btn" type="button" onClick={close}>
          {leave}
        </button>
      </div>
    </Dialog>
  );
}
