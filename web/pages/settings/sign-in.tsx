import { useState } from "preact/hooks";
import type { EndpointInput, EndpointReply } from "../../data/api.ts";
import { callApiAsUser, recheckLogin } from "../../data/session.ts";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { CopyButton } from "../../parts/texts/copy.tsx";
import {
  ConfirmDialog,
  isCurrentUserOwner,
  LoadedReply,
  OwnersOnlyNote,
  SettingsPageHeader,
  useEndpoint,
} from "./parts.tsx";

type Settings = EndpointReply<"GET /api/oidc">;
type Provider = NonNullable<Settings["provider"]>;
type Saved = EndpointInput<"PATCH /api/oidc">["body"];

/**
 * Settings of the OpenID provider with which the organization's users sign in. Only owners can see and change the
 * settings.
 */
export const SignInSettings = () => (
  <>
    <SettingsPageHeader title="Company sign-in">
      Let users sign in with the OpenID provider of your company, such as Okta, Entra ID, Google Workspace or Keycloak.
    </SettingsPageHeader>
    {isCurrentUserOwner() ? <Owned /> : <OwnersOnlyNote />}
  </>
);

function Owned() {
  const settings = useEndpoint("GET /api/oidc", {});
  const [leaving, leave] = useState(false);
  const [done, setDone] = useState(false);
  const saved = () => settings.load().then(() => setDone(true));
  const remove = async () => {
    await callApiAsUser("DELETE /api/oidc", {});
    await recheckLogin();
    await settings.load();
  };
  return (
    <LoadedReply of={settings}>
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
            <ConfirmDialog title="Remove the company sign-in?" action="Remove" act={remove} close={() => leave(false)}>
              Trackway signs out all users who signed in with the company sign-in. Users with a password can still sign
              in.
            </ConfirmDialog>
          )}
        </>
      )}
    </LoadedReply>
  );
}

/** URLs of Trackway that an owner copies into the settings of the OpenID provider. */
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
        <CopyButton text={url} label={`Copy ${name}`}>
          Copy
        </CopyButton>
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
  const { busy, error, send } = useRequest();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    begun();
    const body = inputOf(new FormData(event.currentTarget as HTMLFormElement));
    send(callApiAsUser("PATCH /api/oidc", { body }).then(saved));
  };
  return (
    <form class="stack narrow" onSubmit={onSubmit}>
      <Field name="issuer" label="Issuer" value={provider?.issuer} placeholder="https://login.example.com" />
      <Field name="clientId" label="Client ID" value={provider?.clientId} />
      <Field
        name="clientSecret"
        label="Client secret"
        type="password"
        optional={provider !== null}
        placeholder={provider ? "Unchanged" : ""}
      />
      <Field name="domains" label="Email domains" value={provider?.domains.join(" ")} placeholder="example.com" />
      <label class="field">
        <span>Roles by group</span>
        <textarea
          class="in mono"
          name="groupRoles"
          rows={4}
          spellcheck={false}
          placeholder={"owner Platform admins\nmember Engineering"}
          defaultValue={provider?.groupRoles.map(({ group, role }) => `${role} ${group}`).join("\n")}
        />
        <span class="hint">
          One group per line: owner or member, space, group name. If empty, every user of the listed domains becomes a
          member.
        </span>
      </label>
      <Field name="groupsClaim" label="Token claim that lists the groups" value={provider?.groupsClaim ?? "groups"} />
      <label class="row inline">
        <input type="checkbox" name="required" defaultChecked={provider?.required} /> Require this sign-in method
        <span class="hint">
          Users cannot sign in to the organization with a password. You must sign in with this method before you turn
          this on.
        </span>
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
      <ErrorNote words={error} />
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

/** Reads the settings from the form. */
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
        // The server rejects any other role.
        return { group, role: role as Provider["groupRoles"][number]["role"] };
      }),
    required: form.has("required"),
  };
}
