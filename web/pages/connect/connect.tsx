import { useMemo, useState } from "preact/hooks";
import { callApiAsUser, currentLogin } from "../../data/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { CopyButton } from "../../parts/texts/copy.tsx";
import { Page } from "../../shell/page.tsx";
import { FirstEventWatcher } from "./arrival.tsx";
import { SetupSnippetTabs } from "./snippet-tabs.tsx";
import { buildSetupSnippets } from "./snippets.ts";

/** Page that leads to the first recorded event: create a key, copy a snippet, wait for the event. */
export default function ConnectPage() {
  const [key, setKey] = useState("");
  const [arrived, setArrived] = useState(false);
  const shown = useMemo(() => buildSetupSnippets(location.origin, key || "sk_…"), [key]);
  return (
    <Page title="Connect an agent">
      <div class="start">
        <div>
          <h1>Record your first session</h1>
          <p class="lead">
            Connect an agent and every turn, tool call and failure appears here as it happens. It takes about a minute.
          </p>
        </div>
        <ol class="how">
          <Step number={1} done={key !== ""} now={key === ""} title="Create a key for this machine">
            <Key value={key} made={setKey} />
          </Step>
          <Step number={2} done={arrived} now={key !== "" && !arrived} title="Configure the agent">
            <SetupSnippetTabs all={shown} />
          </Step>
          <Step number={3} done={arrived} now={false} title="Check that events arrive">
            <FirstEventWatcher ingestKey={key} arrived={() => setArrived(true)} />
          </Step>
        </ol>
      </div>
    </Page>
  );
}

interface StepProps {
  number: number;
  done: boolean;
  now: boolean;
  title: string;
  children: preact.ComponentChildren;
}

const Step = ({ number, done, now, title, children }: StepProps) => (
  <li class={done ? "done" : now ? "now" : ""}>
    <span class="no">
      {done ? (
        <>
          <Icon name="check" class="i-14" />
          <span class="sr">Done: </span>
        </>
      ) : (
        <span aria-hidden="true">{number}</span>
      )}
    </span>
    <div class="body">
      <h2>{title}</h2>
      {children}
    </div>
  </li>
);

/** Creates a key and shows the secret once. */
function Key({ value, made }: { value: string; made: (key: string) => void }) {
  const { organization } = currentLogin.value ?? {};
  if (organization?.role !== "owner")
    return <p class="mid">Only an owner of the organization can create ingest keys. Ask an owner for a key.</p>;
  return value ? (
    <MadeKey value={value} writesFor={organization.name} />
  ) : (
    <NewKey writesFor={organization.name} made={made} />
  );
}

function NewKey({ writesFor, made }: { writesFor: string; made: (key: string) => void }) {
  const { busy, error, send } = useRequest();
  const make = () => {
    const name = `connect ${new Date().toISOString().slice(0, 16).replace("T", " ")}`;
    send(callApiAsUser("POST /api/ingest-keys", { body: { name } }).then(({ key }) => made(key)));
  };
  return (
    <>
      <p class="mid">The key writes events to {writesFor} and cannot read data.</p>
      <div>
        <button class="btn pri" type="button" onClick={make} disabled={busy} aria-busy={busy}>
          <Icon name="key" class="i-14" />
          Create a key
        </button>
      </div>
      <ErrorNote words={error} />
    </>
  );
}

const MadeKey = ({ value, writesFor }: { value: string; writesFor: string }) => (
  <>
    <p class="mid">
      Copy the key now; it is not shown again. The key writes events to {writesFor} and cannot read data. You can delete
      the key at any time in <a href="/settings/ingest-keys">settings</a>.
    </p>
    <div class="secret">
      <Icon name="key" class="i-14 dim" />
      <code>{value}</code>
      <CopyButton text={value} label="Copy the key">
        Copy
      </CopyButton>
    </div>
  </>
);
