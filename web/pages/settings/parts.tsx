import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ApiError, buildUrl, type Endpoint, type EndpointInput, type EndpointReply } from "../../data/api.ts";
import { callApiAsUser, currentLogin } from "../../data/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LoadedContent as LoadedData } from "../../parts/lists/loaded.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { CopyButton } from "../../parts/texts/copy.tsx";

/** Returns true if the signed-in user is an owner of the organization. */
export const isCurrentUserOwner = (): boolean => currentLogin.value?.organization?.role === "owner";

/** Head of a settings page: title, description and an optional action. */
export const SettingsPageHeader = ({
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

/** Note that tells members that only owners can see and change the page. */
export const OwnersOnlyNote = () => <p class="note">Only owners of the organization can see and change this page.</p>;

interface Answered<Answer> {
  reply?: Answer;
  error?: ApiError;
  /** Calls the endpoint again. */
  load: () => Promise<void>;
}

/** Calls an endpoint. Returns the response and a function that calls the endpoint again. */
export function useEndpoint<E extends Endpoint>(endpoint: E, input: EndpointInput<E>): Answered<EndpointReply<E>> {
  const [state, setState] = useState<{ reply?: EndpointReply<E>; error?: ApiError }>({});
  const load = (): Promise<void> =>
    callApiAsUser(endpoint, input).then(
      (reply) => setState({ reply }),
      (error: ApiError) => setState((before) => ({ ...before, error })),
    );
  useEffect(() => {
    setState({});
    void load();
  }, [buildUrl(endpoint, input)]);
  return { ...state, load };
}

/** Shows the content for a response. Shows a placeholder before the response arrives, and a message after an error. */
export function LoadedReply<Answer>({
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
  /** Fields with name, label and placeholder. */
  fields: readonly {
    name: Name;
    label: string;
    placeholder?: string;
    type?: "text" | "email" | "url";
    value?: string;
  }[];
  action: string;
  /** True to put the fields and the button in one line. */
  inline?: boolean;
  /** Receives the values of the fields, including fields among the children. */
  submit: (values: Record<Name, string> & Record<string, string>) => Promise<void>;
  children?: ComponentChildren;
}

/** Form that submits the values of the fields, then clears the fields. Shows the error of a failed submission. */
export function SettingsForm<const Name extends string>(props: FormProps<Name>) {
  const { fields, action, inline = false, submit, children } = props;
  const { busy, error, send } = useRequest();
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
      <ErrorNote words={error} />
    </form>
  );
}

/** Secret that is shown only once. */
export const SecretShownOnce = ({ title, secret, close }: { title: string; secret: string; close: () => void }) => (
  <div class="note ok" role="status">
    <Icon name="okc" />
    <div>
      <b>{title} Copy the text below now. Trackway does not show it again.</b>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy">
          Copy
        </CopyButton>
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
  /** Label of the button that cancels. */
  leave?: string;
  children: ComponentChildren;
  act: () => Promise<unknown>;
  close: () => void;
}

/** Dialog that asks for a confirmation before data is lost. */
export function ConfirmDialog({ title, action, leave = "Cancel", children, act, close }: SureProps) {
  const [error, setError] = useState("");
  return (
    <Dialog title={title} close={close}>
      <p class="mid">{children}</p>
      <ErrorNote words={error} />
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
