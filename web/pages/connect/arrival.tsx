import { useEffect, useRef, useState } from "preact/hooks";
import {
  RecordedServices,
  type RecordedServicesQuery,
  Sessions,
  SessionsById,
  type SessionsQuery,
} from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { listen, RESUMED, type Touched } from "../../data/realtime.ts";
import { Icon } from "../../parts/icon.tsx";
import { clip, clock } from "../../parts/texts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { exampleEvent } from "./snippets.ts";

type Recorded = SessionsQuery["recordedSessions"]["nodes"][number];

/** Sessions that are read for events that came while nobody listened. */
const LATEST = 20;

/**
 * The sessions of the first read are known; one that came since, also before the connection stood, is shown at a later
 * read.
 */
function createRead(show: (session: Recorded) => void): () => void {
  let known: ReadonlyMap<string, number> | undefined;
  let last = Promise.resolve();
  const read = async () => {
    const { recordedSessions } = await request(Sessions, { filter: {}, first: LATEST, after: null });
    const before = known;
    known = new Map(recordedSessions.nodes.map(({ id, totals }) => [id, totals.events]));
    const found = before && recordedSessions.nodes.find(({ id, totals }) => totals.events > (before.get(id) ?? 0));
    if (found) show(found);
  };
  return () => {
    last = last.then(read).catch(() => {});
  };
}

interface Got {
  id: string;
  words: string;
}

/** Waits for the first event, and leads to its session. */
export function Arrival({ ingestKey, arrived }: { ingestKey: string; arrived: () => void }) {
  const [got, setGot] = useState<Got>();
  const since = useRef(Date.now());
  useEffect(() => {
    const show = ({ id, brief: { agent, message } }: Recorded) => {
      setGot((before) => before ?? { id, words: `${agent ?? "A session"}, “${clip(message ?? "", 120)}”` });
      arrived();
    };
    const read = createRead(show);
    const onTouched = async ({ sessions }: Touched) => {
      const id = sessions[0]?.id;
      if (!id) return;
      const { recordedSessions } = await request(SessionsById, { ids: [id] });
      const found = recordedSessions.nodes[0];
      if (found) show(found);
    };
    const stops = [
      listen<Touched>("session.touched", (touched) => void onTouched(touched).catch(() => {})),
      listen(RESUMED, read),
    ];
    read();
    return () => stops.forEach((stop) => void stop());
  }, []);
  const test = () => send(ingestKey).catch((error: Error) => toast(error.message));
  return got ? (
    <div class="wait got" role="status">
      <Icon name="okc" class="i-20 c-ok" />
      <div>
        <b>First event received</b>
        <p class="mid">{got.words}</p>
      </div>
      <a class="btn pri" href={`/sessions/${got.id}`}>
        Open the session
      </a>
    </div>
  ) : (
    <>
      <div class="wait" role="status">
        <Walk />
        <div>
          <b>Waiting for the first event</b>
          <p class="mid">Listening since {clock(since.current)}. This page goes on by itself.</p>
        </div>
        <button class="btn" type="button" onClick={test} disabled={ingestKey === ""}>
          Send a test event
        </button>
      </div>
      <Unrecognised />
      <Trouble />
    </>
  );
}

/** As an agent would: with the key, and no login. */
async function send(key: string): Promise<void> {
  const response = await fetch("/api/v1/capture-events", {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-api-key": key },
    body: JSON.stringify({ events: [exampleEvent()] }),
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
}

const Walk = () => (
  <svg
    class="walk"
    viewBox="0 0 72 24"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    stroke-width="4"
    stroke-linecap="round"
  >
    {["M4 17h7", "M18 8h7", "M32 17h7", "M46 8h7", "M60 17h7"].map((d) => (
      <path key={d} d={d} />
    ))}
  </svg>
);

/** The services that send spans of which none is recognised. */
function Unrecognised() {
  const [services, setServices] = useState<RecordedServicesQuery["recordedServices"]["nodes"]>([]);
  useEffect(() => {
    const found = request(RecordedServices, {});
    void found.then(({ recordedServices }) => setServices(recordedServices.nodes)).catch(() => {});
  }, []);
  return services.length === 0 ? null : (
    <ul class="mid dots">
      {services.map(({ id, spans }) => (
        <li key={id}>
          {spans} spans of service <b>{id}</b> told nothing but their names.
        </li>
      ))}
    </ul>
  );
}

const Trouble = () => (
  <details class="note block">
    <summary class="row">
      <Icon name="info" class="i-14" />
      Nothing arrives?
    </summary>
    <ul class="mid dots">
      <li>
        From where the agent runs, <code>curl {location.origin}/api/health</code> must answer.
      </li>
      <li>A request with a wrong key is answered 401 and does not show here.</li>
      <li>
        Behind a proxy, the header <code>x-api-key</code> has to pass.
      </li>
    </ul>
  </details>
);
