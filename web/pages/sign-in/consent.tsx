import { useEffect, useState } from "preact/hooks";
import type { ApiError, EndpointReply } from "../../data/api.ts";
import { callApiAsUser, currentLogin, signOut } from "../../data/session.ts";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import { SignInCard } from "./card.tsx";

/** OAuth request of an app, checked by the server. */
type Asked = EndpointReply<"POST /oauth/consent/request">;
type Scope = Asked["scopes"][number];
type Answer = { decision: "deny" } | { decision: "allow"; organizationId: string; scopes: Scope[] };

const SCOPES: [scope: Scope, name: string, hint: string][] = [
  ["read", "Read", "See the issues, projects and recordings that you can see"],
  ["write", "Write", "Create and change issues and projects on your behalf"],
  ["record", "Record", "Record sessions of agents"],
];

const query = (): string => location.search.slice(1);

/** Asks the signed-in user whether an app may act on the user's behalf. */
export default function ConsentPage({ refusal }: { refusal?: string }) {
  return refusal === undefined ? <Request /> : <Refusal reason={refusal} />;
}

function Request() {
  const [asked, setAsked] = useState<Asked>();
  const [failure, setFailure] = useState<ApiError>();
  const ask = () => {
    setFailure(undefined);
    callApiAsUser("POST /oauth/consent/request", { body: { query: query() } }).then(setAsked, setFailure);
  };
  useEffect(ask, []);
  if (failure) return <Refusal reason={failure.message} {...(failure.passing && { retry: ask })} />;
  return asked ? <Question {...asked} /> : null;
}

/** Icons of the app and of Trackway, side by side. */
const Joined = ({ icon, tone }: { icon: IconName; tone: string }) => (
  <div class="joined" aria-hidden="true">
    <span class="tile">
      <Icon name="bash" />
    </span>
    <span class="between" />
    <span class={`tile ${tone}`}>
      <Icon name={icon} />
    </span>
  </div>
);

/** Message for an OAuth request that failed. A retry is possible only after a temporary error. */
function Refusal({ reason, retry }: { reason: string; retry?: () => void }) {
  return (
    <SignInCard
      wide
      above={<Joined icon="fail" tone="bad" />}
      title="Trackway did not connect the app"
      lead="The app received no data. You do not need to do anything."
    >
      <ErrorNote words={reason} />
      <div class="row">
        {retry && (
          <button class="btn pri" type="button" onClick={retry}>
            Try again
          </button>
        )}
        <a class="btn" href="/">
          Go to Trackway
        </a>
      </div>
      <p class="hint">If you did not start this request, close this page.</p>
    </SignInCard>
  );
}

function Question(asked: Asked) {
  const { client, redirectHost, resource, account } = asked;
  const lead = (
    <>
      An app with this name
      {client.host && (
        <>
          , described at <code>{client.host}</code>,
        </>
      )}{" "}
      asks for access to <code>{resource}</code>. Next, you are redirected to <code>{redirectHost}</code>.
    </>
  );
  return (
    <SignInCard
      wide
      above={<Joined icon="mark" tone="us" />}
      title={`Allow ${client.name} to act on your behalf?`}
      lead={lead}
    >
      <div class="who-card">
        <Avatar name={account.name} />
        <span>
          <b dir="auto">{account.name}</b>
          <span class="dim">{account.email}</span>
        </span>
        <button class="btn quiet" type="button" onClick={() => void signOut()}>
          Not you?
        </button>
      </div>
      <Decision {...asked} />
      <p class="hint">
        Any app can use this name. Allow access only if you have just asked this app to connect. You can disconnect the
        app at any time under <a href="/settings/connections">Settings, Connected apps</a>. Trackway never asks for your
        password here.
      </p>
    </SignInCard>
  );
}

function Decision({ organizations, scopes: wanted }: Asked) {
  const [allowed, setAllowed] = useState<Scope[]>(wanted);
  const [organizationId, setOrganization] = useState(
    () => organizations.find(({ id }) => id === currentLogin.value?.organization?.id)?.id ?? organizations[0]?.id ?? "",
  );
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const decide = (answer: Answer) => {
    setBusy(true);
    setProblem("");
    callApiAsUser("POST /oauth/consent", { body: { query: query(), ...answer } })
      .then(({ redirect }) => location.replace(redirect))
      .catch((failure: ApiError) => {
        setProblem(failure.message);
        setBusy(false);
      });
  };
  const allow = (event: Event) => {
    event.preventDefault();
    if (allowed.length === 0) setProblem("Select at least one permission, or choose Deny.");
    else decide({ decision: "allow", organizationId, scopes: allowed });
  };
  return (
    <form class="parts" onSubmit={allow}>
      <Scopes wanted={wanted} allowed={allowed} change={setAllowed} />
      <Organizations all={organizations} chosen={organizationId} choose={setOrganization} />
      <ErrorNote words={problem} icon="fail" />
      <div class="row">
        <button class="btn" type="button" disabled={busy} onClick={() => decide({ decision: "deny" })}>
          Deny
        </button>
        <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
          Allow
        </button>
      </div>
    </form>
  );
}

interface OrganizationsProps {
  all: Asked["organizations"];
  chosen: string | undefined;
  choose: (id: string) => void;
}

const Organizations = ({ all, chosen, choose }: OrganizationsProps) => (
  <div class="field">
    <label for="organization">Organization</label>
    <select class="in" id="organization" value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {all.map(({ id, name, urlKey }) => (
        <option key={id} value={id}>
          {`${name} (${urlKey})`}
        </option>
      ))}
    </select>
  </div>
);

interface ScopesProps {
  wanted: Scope[];
  allowed: Scope[];
  change(next: Scope[]): void;
}

/** Scopes to choose from. `record` is always offered, because few apps request the scope. */
function Scopes({ wanted, allowed, change }: ScopesProps) {
  const toggle = (scope: Scope, on: boolean) => {
    const next = new Set(allowed);
    if (on) next.add(scope);
    else next.delete(scope);
    // The scope `write` includes `read`.
    if (on && scope === "write") next.add("read");
    if (!on && scope === "read") next.delete("write");
    change([...next]);
  };
  return (
    <div class="part">
      <h2 id="may">The app can</h2>
      <div class="may" role="group" aria-labelledby="may">
        {SCOPES.filter(([scope]) => scope === "record" || wanted.includes(scope)).map(([scope, name, hint]) => (
          <label key={scope}>
            <input
              class="check"
              type="checkbox"
              checked={allowed.includes(scope)}
              onChange={({ currentTarget }) => toggle(scope, currentTarget.checked)}
            />
            <span>
              <b>{name}</b>
              <small>{hint}</small>
            </span>
          </label>
        ))}
        <div class="no">
          <Icon name="x" class="i-14" />
          <span>This app cannot change settings, keys or members.</span>
        </div>
      </div>
    </div>
  );
}
