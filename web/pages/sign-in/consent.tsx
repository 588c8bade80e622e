import { useEffect, useState } from "preact/hooks";
import type { ApiError, Reply } from "../../data/api.ts";
import { api, session, signOut } from "../../data/session.ts";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Problem } from "../../parts/states.tsx";
import { SignInCard } from "./card.tsx";

/** A program's request to the person who is signed in, as the server checked it. */
type Asked = Reply<"POST /oauth/consent/request">;
type Scope = Asked["scopes"][number];
type Answer = { decision: "deny" } | { decision: "allow"; organizationId: string; scopes: Scope[] };

const SCOPES: [scope: Scope, name: string, hint: string][] = [
  ["read", "Read", "Issues, projects and recordings, as far as you may"],
  ["write", "Write", "Create and change them in your name"],
  ["record", "Record", "Store what an agent does"],
];

const query = (): string => location.search.slice(1);

/** Asks the person who is signed in whether a program may act for them. */
export default function Consent({ refusal }: { refusal?: string }) {
  return refusal === undefined ? <Request /> : <Refusal reason={refusal} />;
}

function Request() {
  const [asked, setAsked] = useState<Asked>();
  const [failure, setFailure] = useState<ApiError>();
  const ask = () => {
    setFailure(undefined);
    api("POST /oauth/consent/request", { body: { query: query() } }).then(setAsked, setFailure);
  };
  useEffect(ask, []);
  if (failure) return <Refusal reason={failure.message} {...(failure.passing && { retry: ask })} />;
  return asked ? <Question {...asked} /> : null;
}

/** The program and Trackway, side by side. */
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

/** A request that cannot be allowed, or not now. */
function Refusal({ reason, retry }: { reason: string; retry?: () => void }) {
  return (
    <SignInCard
      wide
      above={<Joined icon="fail" tone="bad" />}
      title="Trackway did not let the program in"
      lead="Nothing was shared, and nothing has to be undone."
    >
      <Problem words={reason} />
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
      <p class="hint">Did you not start this yourself? Close the page.</p>
    </SignInCard>
  );
}

function Question(asked: Asked) {
  const { client, redirectHost, resource, account } = asked;
  const lead = (
    <>
      A program that calls itself so
      {client.host && (
        <>
          , and is described at <code>{client.host}</code>,
        </>
      )}{" "}
      asks to use <code>{resource}</code>. From here you go on to <code>{redirectHost}</code>.
    </>
  );
  return (
    <SignInCard
      wide
      above={<Joined icon="mark" tone="us" />}
      title={`Allow ${client.name} to work as you?`}
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
        Anybody can call a program so: allow it only if you have just asked it to connect. You can end it at any time
        under <a href="/settings/connections">Settings, Connected programs</a>. Trackway never asks for your password
        here.
      </p>
    </SignInCard>
  );
}

function Decision({ organizations, scopes: wanted }: Asked) {
  const [allowed, setAllowed] = useState<Scope[]>(wanted);
  const [organizationId, setOrganization] = useState(
    () => organizations.find(({ id }) => id === session.value?.organization?.id)?.id ?? organizations[0]?.id ?? "",
  );
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const decide = (answer: Answer) => {
    setBusy(true);
    setProblem("");
    api("POST /oauth/consent", { body: { query: query(), ...answer } })
      .then(({ redirect }) => location.replace(redirect))
      .catch((failure: ApiError) => {
        setProblem(failure.message);
        setBusy(false);
      });
  };
  const allow = (event: Event) => {
    event.preventDefault();
    if (allowed.length === 0) setProblem("Allow at least one of these, or deny.");
    else decide({ decision: "allow", organizationId, scopes: allowed });
  };
  return (
    <form class="parts" onSubmit={allow}>
      <Scopes wanted={wanted} allowed={allowed} change={setAllowed} />
      <Organizations all={organizations} chosen={organizationId} choose={setOrganization} />
      <Problem words={problem} icon="fail" />
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
    <label for="organization">In which organization</label>
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

/** To record is offered to programs that did not ask, too: hardly any asks for it. */
function Scopes({ wanted, allowed, change }: ScopesProps) {
  const toggle = (scope: Scope, on: boolean) => {
    const next = new Set(allowed);
    if (on) next.add(scope);
    else next.delete(scope);
    // To change something is to see it as well.
    if (on && scope === "write") next.add("read");
    if (!on && scope === "read") next.delete("write");
    change([...next]);
  };
  return (
    <div class="part">
      <h2 id="may">It may</h2>
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
          <span>It may not change settings, keys or members.</span>
        </div>
      </div>
    </div>
  );
}
