import { useMemo, useState } from "preact/hooks";
import { api, session } from "../../data/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { Copy } from "../../parts/texts/copy.tsx";
import { Page } from "../../shell/page.tsx";
import { Arrival } from "./arrival.tsx";
import { Snippets } from "./snippet-tabs.tsx";
import { snippets } from "./snippets.ts";

/** From nothing to the first event: a key, what to paste, and the event as it arrives. */
export default function Connect() {
  const [key, setKey] = useState("");
  const [arrived, setArrived] = useState(false);
  const shown = useMemo(() => snippets(location.origin, key || "sk_…"), [key]);
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
          <Step number={1} done={key !== ""} now={key === ""} title="Key for this machine">
            <Key value={key} made={setKey} />
          </Step>
          <Step number={2} done={arrived} now={key !== "" && !arrived} title="Tell the agent where to send">
            <Snippets all={shown} />
          </Step>
          <Step number={3} done={arrived} now={false} title="See it arrive">
            <Arrival ingestKey={key} arrived={() => setArrived(true)} />
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

/** Makes a key in place, and shows it this once. */
function Key({ value, made }: { value: string; made: (key: string) => void }) {
  const { organization } = session.value ?? {};
  if (organization?.role !== "owner")
    return <p class="mid">Only an owner of the organization makes keys that write. Ask one for yours.</p>;
  return value ? (
    <MadeKey value={value} writesFor={organization.name} />
  ) : (
    <NewKey writesFor={organization.name} made={made} />
  );
}

function NewKey({ writesFor, made }: { writesFor: string; made: (key: string) => void }) {
  const { busy, error, send } = useSending();
  const make = () => {
    const name = `connect ${new Date().toISOString().slice(0, 16).replace("T", " ")}`;
    send(api("POST /api/ingest-keys", { body: { name } }).then(({ key }) => made(key)));
  };
  return (
    <>
      <p class="mid">It writes for {writesFor} and reads nothing.</p>
      <div>
        <button class="btn pri" type="button" onClick={make} disabled={busy} aria-busy={busy}>
          <Icon name="key" class="i-14" />
          Create a key
        </button>
      </div>
      <Problem words={error} />
    </>
  );
}

const MadeKey = ({ value, writesFor }: { value: string; writesFor: string }) => (
  <>
    <p class="mid">
      Shown this once. It writes for {writesFor} and reads nothing; delete it at any time in{" "}
      <a href="/settings/ingest-keys">settings</a>.
    </p>
    <div class="secret">
      <Icon name="key" class="i-14 dim" />
      <code>{value}</code>
      <Copy text={value} label="Copy the key">
        Copy
      </Copy>
    </div>
  </>
);
