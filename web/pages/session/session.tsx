import { useEffect, useRef, useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { Session } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { LoadError, LoadingPlaceholder, NotFoundMessage, ReadError } from "../../parts/states.tsx";
import { copyText } from "../../parts/texts/copy.tsx";
import { showToast } from "../../parts/toast.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { navigate } from "../../shell/router.ts";
import { formatSessionTitle } from "../sessions/row.tsx";
import { exportMarkdown } from "./export/export.ts";
import { SessionSummary } from "./facts.tsx";
import { SessionFilesView } from "./files/files.tsx";
import { SessionHead } from "./head.tsx";
import { EventLog } from "./log/log.tsx";
import { buildViewAddress, parseSessionView, type SessionData, type SessionView } from "./readings.ts";
import { STATE_EVENT_LABELS, StoppedBanner } from "./state.tsx";
import { SessionTimeline } from "./timeline/timeline.tsx";
import { type SessionOutline, useSessionOutline } from "./transcript/outline.ts";
import { SessionTranscript } from "./transcript/transcript.tsx";

/** Page of one recorded session. The `key` makes Preact mount a new component when the user opens another session. */
export default function SessionPage({ params }: { params: Record<string, string> }) {
  return <OneSession key={params["id"]} params={params} />;
}

/**
 * States of a session that can change without a new event, because time passes. The page reads a session in such a
 * state again every minute.
 */
const BY_CLOCK = ["working", "looping"];
const AGAIN_MS = 60_000;

function OneSession({ params }: { params: Record<string, string> }) {
  const { id = "", reading: named, event } = params;
  const reading = parseSessionView(named);
  const { data, error, reload } = useQuery(Session, { id });
  const [outline, again] = useSessionOutline(id);
  const { tree } = outline.value;
  const [isDeleted, setDeleted] = useState(false);
  useReloadOnChange(
    ({ type, action, data: { id: gone } }) => type === "RecordedSession" && action === "remove" && gone === id,
    () => void requestGraphQL(Session, { id }).catch(({ passing }: { passing?: boolean }) => setDeleted(!passing)),
    id,
  );
  const known = useRef(0);
  useEffect(() => {
    if (outline.value.loading || tree.all.length === 0) return;
    // New events may change the totals, the failures and the end of the session, so the session is read again.
    const fewer = data && data.recordedSession.totals.events < tree.all.length;
    if (known.current++ > 0 || fewer) void reload();
  }, [tree]);
  const recorded = data?.recordedSession;
  const isByClock = recorded !== undefined && BY_CLOCK.includes(recorded.state);
  useEffect(() => {
    if (!isByClock) return;
    const timer = setInterval(() => void reload(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isByClock]);
  useKeyboardShortcuts({
    t: () => navigate(buildViewAddress(id, reading === "timeline" ? "transcript" : "timeline")),
    y: () =>
      recorded &&
      void exportMarkdown(recorded, tree)
        .then(copyText)
        .then(() => showToast("Session copied as Markdown.")),
  });
  if (isDeleted)
    return (
      <Page title="Session" fixed>
        <NotFoundMessage {...NOT_HERE} />
      </Page>
    );
  if (!recorded) {
    return (
      <Page title="Session" fixed {...(!error && { keys: KEYS[reading] })}>
        {error ? <ReadError error={error} retry={reload} {...NOT_HERE} /> : <LoadingPlaceholder />}
      </Page>
    );
  }
  return (
    <Page title={formatSessionTitle(recorded)} fixed keys={KEYS[reading]}>
      <SessionHead recorded={recorded} tree={tree} reading={reading} reload={reload} />
      <StoppedBanner recorded={recorded} select={(eventId) => navigate(`/sessions/${id}/events/${eventId}`)} />
      <SessionSummary recorded={recorded} tree={tree} />
      <Events outline={outline.value} recorded={recorded} reading={reading} event={event} again={again} />
    </Page>
  );
}

const NOT_HERE = {
  icon: "sessions",
  level: "h1",
  title: "Session not found",
  words:
    "The address may be mistyped, the session may have been deleted, or the session may belong to another organization.",
  to: { href: "/sessions", name: "Go to sessions" },
} as const;

interface EventsProps {
  outline: SessionOutline;
  recorded: SessionData;
  reading: SessionView;
  event: string | undefined;
  again: () => void;
}

function Events({ outline: { tree, loading, error }, recorded, reading, event, again }: EventsProps) {
  if (tree.all.length === 0) {
    if (error) return <LoadError words={error.message} retry={again} />;
    return loading ? <LoadingPlaceholder /> : <p class="none mid">No events recorded yet.</p>;
  }
  if (reading === "transcript") return <SessionTranscript recorded={recorded} tree={tree} />;
  if (reading === "log") return <EventLog sessionId={recorded.id} tree={tree} />;
  if (reading === "files") return <SessionFilesView recorded={recorded} tree={tree} />;
  const { state, stateEvent } = recorded;
  const waits = stateEvent ? { id: stateEvent.id, words: STATE_EVENT_LABELS[state] ?? "" } : undefined;
  return <SessionTimeline sessionId={recorded.id} tree={tree} loading={loading} selected={event} waits={waits} />;
}

const KEYS: Record<SessionView, [string[], string][]> = {
  timeline: [
    [["J", "K"], "event"],
    [["←", "→"], "collapse, expand"],
    [["N"], "next failure"],
    [["+", "−"], "zoom"],
    [["0"], "fit"],
    [["[", "]"], "session"],
    [["T"], "transcript"],
    [["Esc"], "close panel"],
  ],
  transcript: [
    [["N"], "next failure"],
    [["T"], "timeline"],
    [["Y"], "copy as Markdown"],
  ],
  files: [
    [["J", "K"], "file"],
    [["T"], "timeline"],
  ],
  log: [
    [["J", "K"], "event"],
    [["/"], "find"],
    [["N"], "next match or failure"],
    [["X"], "only failures"],
    [["T"], "timeline"],
    [["Y"], "copy as Markdown"],
  ],
};
