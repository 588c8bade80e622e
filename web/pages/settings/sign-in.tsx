import { useState } from "preact/hooks";
import type { Input, Reply } from "../../data/api.ts";
import { api, ended } from "../../data/session.ts";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { Copy } from "../../parts/texts/copy.tsx";
import { Intro, isOwner, Loaded, OwnersOnly, Sure, useApi } from "./parts.tsx";

type Settings = Reply<"GET /api/oidc">;
type Provider = NonNullable<Settings["provider"]>;
type Saved = Input<"PATCH /api/oidc">["body"];

/** The OpenID provider by which the organization's people sign in; owners set it. */
export const SignInPart = () => (
  <>
    <Intro title="Company sign-in">
      People sign in at your company’s OpenID provider, such as Okta, Entra ID, Google Workspace or Keycloak.
    </Intro>
    {isOwner() ? <Owned /> : <OwnersOnly />}
  </>
);

function Owned() {
  const settings = useApi("GET /api/oidc", {});
  const [leaving, leave] = useState(false);
  const [done, setDone] = useState(false);
  const saved = () => settings.load().then(() => setDone(true));
  const remove = async () => {
    await api("DELETE /api/oidc", {});
    await ended();
    await settings.load();
  };
  return (
    <Loaded of={settings}>
      {({ provider, callbackUrl, logoutUrl }) => (
        <>
          <Addresses callbackUrl={callbackUrl} logoutUrl={logoutUrl} />
          <ProviderForm
            key={JSON.stringify(provider)}
            provider={provider}
            begun={() => setDone(false)}
            saved={saved}
            remove={() => leave(true)}
          />
          <p role="status" class="hint">
            {done && "Saved."}
          </p>
          {leaving && (
            <Sure title="Remove the company’s sign-in?" action="Remove" act={remove} close={() => leave(false)}>
              Whoever signed in by it is signed out. People with a password go on with that.
            </Sure>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The addresses that the provider has to be given. */
const Addresses = ({ callbackUrl, logoutUrl }: Omit<Settings, "provider">) => (
  <div class="stack narrow">
    {[
      ["Redirect URI", callbackUrl],
      ["Back-channel logout", logoutUrl],
    ].map(([name = "", url = ""]) => (
      <div key={name} class="row">
        <label class="field grow">
          <span>{name}</span>
          <input class="in" value={url} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
        </label>
        <Copy text={url} label={`Copy ${name}`}>
          Copy
        </Copy>
      </div>
    ))}
  </div>
);

interface ProviderFormProps {
  provider: Provider | null;
  begun: () => void;
  saved: () => Promise<void>;
  remove: () => void;
}

function ProviderForm({ provider, begun, saved, remove }: ProviderFormProps) {
  const { busy, error, send } = useSending();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    begun();
    const body = inputOf(new FormData(event.currentTarget as HTMLFormElement));
    send(api("PATCH /api/oidc", { body }).then(saved));
  };
  return (
    <form class="stack narrow" onSubmit={onSubmit}>
      <Field name="issuer" label="Issuer" value={provider?.issuer} placeholder="https://login.example.com" />
      <Field name="clientId" label="Client id" value={provider?.clientId} />
      <Field
        name="clientSecret"
        label="Client secret"
        type="password"
        optional={provider !== null}
        placeholder={provider ? "Unchanged" : ""}
      />
      <Field name="domains" label="E-mail domains" value={provider?.domains.join(" ")} placeholder="example.com" />
      <label class="field">
        <span>Roles of groups</span>
        <textarea
          class="in mono"
          name="groupRoles"
          rows={4}
          spellcheck={false}
          placeholder={"owner Platform admins\nmember Engineering"}
          defaultValue={provider?.groupRoles.map(({ group, role }) => `${role} ${group}`).join("\n")}
        />
        <span class="hint">
          One a line: owner or member, a blank, and the group. Empty, everybody of the domains is a member.
        </span>
      </label>
      <Field name="groupsClaim" label="Claim with the groups" value={provider?.groupsClaim ?? "groups"} />
      <label class="row inline">
        <input type="checkbox" name="required" defaultChecked={provider?.required} /> Only this way
        <span class="hint">Passwords do not open the organization. Sign in this way yourself first.</span>
      </label>
      <div class="row">
        <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
          Save
        </button>
        {provider && (
          <button class="btn bad" type="button" onClick={remove}>
            Remove
          </button>
        )}
      </div>
      <Problem words={error} />
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  type?: "text" | "password";
  value?: string | undefined;
  placeholder?: string;
  optional?: boolean;
}

const Field = ({ name, label, type = "text", value, placeholder, optional = false }: FieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      class="in"
      name={name}
      {...{ type: type as "text" }}
      placeholder={placeholder}
      defaultValue={value}
      required={!optional}
      autocomplete="off"
    />
  </label>
);

/** The settings as they stand in the form. */
function inputOf(form: FormData): Saved {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const clientSecret = text("clientSecret");
  return {
    issuer: text("issuer"),
    clientId: text("clientId"),
    ...(clientSecret && { clientSecret }),
    domains: text("domains").split(/[\s,]+/),
    groupsClaim: text("groupsClaim"),
    groupRoles: text("groupRoles")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [, role = "", group = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
        // The server refuses any other.
        return { group, role: role as Provider["groupRoles"][number]["role"] };
      }),
    required: form.has("required"),
  };
}
