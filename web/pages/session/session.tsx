import { useEffect, useRef, useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { Session } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Failure, Missing, Skeleton, Unread } from "../../parts/states.tsx";
import { copyText } from "../../parts/texts/copy.tsx";
import { toast } from "../../parts/toast.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { navigate } from "../../shell/router.ts";
import { titleOf } from "../sessions/row.tsx";
import { toMarkdown } from "./export/export.ts";
import { Facts } from "./facts.tsx";
import { Files } from "./files/files.tsx";
import { Head } from "./head.tsx";
import { Log } from "./log/log.tsx";
import { addressOf, type Reading, type Recorded, readingOf } from "./readings.ts";
import { Strap, WAITS } from "./state.tsx";
import { Timeline } from "./timeline/timeline.tsx";
import { type LoadedOutline, useOutline } from "./transcript/outline.ts";
import { Transcript } from "./transcript/transcript.tsx";

/** One recorded session, in one of its readings. Another session begins anew. */
export default function SessionPage({ params }: { params: Record<string, string> }) {
  return <OneSession key={params["id"]} params={params} />;
}

/** States that the clock alone changes into another. */
const BY_CLOCK = ["working", "looping"];
const AGAIN_MS = 60_000;

function OneSession({ params }: { params: Record<string, string> }) {
  const { id = "", reading: named, event } = params;
  const reading = readingOf(named);
  const { data, error, reload } = useQuery(Session, { id });
  const [outline, again] = useOutline(id);
  const { tree } = outline.value;
  const [isDeleted, setDeleted] = useState(false);
  useChanges(
    ({ type, action, data: { id: gone } }) => type === "RecordedSession" && action === "remove" && gone === id,
    () => void request(Session, { id }).catch(({ passing }: { passing?: boolean }) => setDeleted(!passing)),
    id,
  );
  const known = useRef(0);
  useEffect(() => {
    if (outline.value.loading || tree.all.length === 0) return;
    // The server counts events that came since the outline was first read, and so failures and ends.
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
  useKeys({
    t: () => navigate(addressOf(id, reading === "timeline" ? "transcript" : "timeline")),
    y: () =>
      recorded &&
      void toMarkdown(recorded, tree)
        .then(copyText)
        .then(() => toast("The session is copied as Markdown.")),
  });
  if (isDeleted)
    return (
      <Page title="Session" fixed>
        <Missing {...NOT_HERE} />
      </Page>
    );
  if (!recorded) {
    return (
      <Page title="Session" fixed {...(!error && { keys: KEYS[reading] })}>
        {error ? <Unread error={error} retry={reload} {...NOT_HERE} /> : <Skeleton />}
      </Page>
    );
  }
  return (
    <Page title={titleOf(recorded)} fixed keys={KEYS[reading]}>
      <Head recorded={recorded} tree={tree} reading={reading} reload={reload} />
      <Strap recorded={recorded} select={(eventId) => navigate(`/sessions/${id}/events/${eventId}`)} />
      <Facts recorded={recorded} tree={tree} />
      <Events outline={outline.value} recorded={recorded} reading={reading} event={event} again={again} />
    </Page>
  );
}

const NOT_HERE = {
  icon: "sessions",
  level: "h1",
  title: "This session is not here",
  words: "The address may be mistyped, or the session was deleted or belongs to another organization.",
  to: { href: "/sessions", name: "To the sessions" },
} as const;

interface EventsProps {
  outline: LoadedOutline;
  recorded: Recorded;
  reading: Reading;
  event: string | undefined;
  again: () => void;
}

function Events({ outline: { tree, loading, error }, recorded, reading, event, again }: EventsProps) {
  if (tree.all.length === 0) {
    if (error) return <Failure words={error.message} retry={again} />;
    return loading ? <Skeleton /> : <p class="none mid">Nothing of this session was recorded yet.</p>;
  }
  if (reading === "transcript") return <Transcript recorded={recorded} tree={tree} />;
  if (reading === "log") return <Log sessionId={recorded.id} tree={tree} />;
  if (reading === "files") return <Files recorded={recorded} tree={tree} />;
  const { state, stateEvent } = recorded;
  const waits = stateEvent ? { id: stateEvent.id, words: WAITS[state] ?? "" } : undefined;
  return <Timeline sessionId={recorded.id} tree={tree} loading={loading} selected={event} waits={waits} />;
}

const KEYS: Record<Reading, [string[], string][]> = {
  timeline: [
    [["J", "K"], "event"],
    [["←", "→"], "fold"],
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
