import { useEffect, useRef, useState } from "preact/hooks";
import {
  RecordedServices,
  type RecordedServicesQuery,
  Sessions,
  SessionsById,
  type SessionsQuery,
} from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import {
  REALTIME_CONNECTED_EVENT,
  subscribeToRealtimeEvent,
  type TouchedSessionsPayload,
} from "../../data/realtime.ts";
import { Icon } from "../../parts/icon.tsx";
import { formatTimeOfDay, truncate } from "../../parts/texts/format.ts";
import { showToast } from "../../parts/toast.tsx";
import { buildExampleEvent } from "./snippets.ts";

type Recorded = SessionsQuery["recordedSessions"]["nodes"][number];

/** Number of sessions that are read to find events that arrived before the socket connected. */
const LATEST = 20;

/**
 * Creates a function that reads the latest sessions. The first read stores the known sessions. Later reads show a
 * session with new events, also if the events arrived before the socket connected.
 */
function createRead(show: (session: Recorded) => void): () => void {
  let known: ReadonlyMap<string, number> | undefined;
  let last = Promise.resolve();
  const read = async () => {
    const { recordedSessions } = await requestGraphQL(Sessions, { filter: {}, first: LATEST, after: null });
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

/** Waits for the first event and links to the session of the event. */
export function FirstEventWatcher({ ingestKey, arrived }: { ingestKey: string; arrived: () => void }) {
  const [got, setGot] = useState<Got>();
  const since = useRef(Date.now());
  useEffect(() => {
    const show = ({ id, brief: { agent, message } }: Recorded) => {
      setGot((before) => before ?? { id, words: `${agent ?? "A session"}, “${truncate(message ?? "", 120)}”` });
      arrived();
    };
    const read = createRead(show);
    const onTouched = async ({ sessions }: TouchedSessionsPayload) => {
      const id = sessions[0]?.id;
      if (!id) return;
      const { recordedSessions } = await requestGraphQL(SessionsById, { ids: [id] });
      const found = recordedSessions.nodes[0];
      if (found) show(found);
    };
    const stops = [
      subscribeToRealtimeEvent<TouchedSessionsPayload>(
        "session.touched",
        (touched) => void onTouched(touched).catch(() => {}),
      ),
      subscribeToRealtimeEvent(REALTIME_CONNECTED_EVENT, read),
    ];
    read();
    return () => stops.forEach((stop) => void stop());
  }, []);
  const test = () => send(ingestKey).catch((error: Error) => showToast(error.message));
  return got ? (
    <div class="wait got" role="status">
      <Icon name="okc" class="i-20 c-ok" />
      <div>
        <b>First event received</b>
        <p class="mid">{got.words}</p>
      </div>
      <a class="btn pri" href={`/sessions/${got.id}`}>
        Open session
      </a>
    </div>
  ) : (
    <>
      <div class="wait" role="status">
        <Walk />
        <div>
          <b>Waiting for the first event</b>
          <p class="mid">Listening since {formatTimeOfDay(since.current)}. This page updates automatically.</p>
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

/** Sends an event as an agent does: with the ingest key, without a login. */
async function send(key: string): Promise<void> {
  const response = await fetch("/api/v1/capture-events", {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-api-key": key },
    body: JSON.stringify({ events: [buildExampleEvent()] }),
  });
  if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
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

/** Services whose spans contain no recognized events. */
function Unrecognised() {
  const [services, setServices] = useState<RecordedServicesQuery["recordedServices"]["nodes"]>([]);
  useEffect(() => {
    const found = requestGraphQL(RecordedServices, {});
    void found.then(({ recordedServices }) => setServices(recordedServices.nodes)).catch(() => {});
  }, []);
  return services.length === 0 ? null : (
    <ul class="mid dots">
      {services.map(({ id, spans }) => (
        <li key={id}>
          Trackway received {spans} spans of service <b>{id}</b>, but did not recognize any turns or tool calls in them.
        </li>
      ))}
    </ul>
  );
}

const Trouble = () => (
  <details class="note block">
    <summary class="row">
      <Icon name="info" class="i-14" />
      No events?
    </summary>
    <ul class="mid dots">
      <li>
        Run <code>curl {location.origin}/api/health</code> on the machine of the agent. The server must respond.
      </li>
      <li>If a request has a wrong key, the server responds with 401, and the request does not appear here.</li>
      <li>
        If you use a proxy, the proxy must forward the <code>x-api-key</code> header.
      </li>
    </ul>
  </details>
);
