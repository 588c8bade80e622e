import { Icon } from "../../../parts/icon.tsx";
import { LoadError, LoadingPlaceholder } from "../../../parts/states.tsx";
import { CopyButton } from "../../../parts/texts/copy.tsx";
import { formatDuration, formatExactTime, formatTimeOfDay, formatTimeOffset } from "../../../parts/texts/format.ts";
import { RedactedText } from "../../../parts/texts/redacted.tsx";
import { computeEventDuration, type SessionEvent } from "../events.ts";
import type { WaitingEvent } from "../timeline/tree-row.tsx";
import { formatEventName, formatFailureText, getEventIcon, summarizeArguments } from "../words.ts";
import { EventBody } from "./body.tsx";
import { FileFailureButton } from "./file-failure.tsx";
import { useFullEvent } from "./full-event.ts";

interface PanelProps {
  event: SessionEvent;
  begin: number;
  waits: WaitingEvent | undefined;
  close: () => void;
  move: (by: number) => void;
  select: (id: string) => void;
}

/** Panel of one event, beside the tree. */
export function EventPanel({ event, begin, waits, close, move, select }: PanelProps) {
  const { full, error, loading, most, whole, reload } = useFullEvent(event.id);
  return (
    <aside class="panel up" aria-label="Event">
      <header>
        <span class="grab" aria-hidden="true" />
        <h2>
          <Icon name={getEventIcon(event)} />
          <bdi class="cut">{event.kind === "turn" ? event.name : formatEventName(event)}</bdi>
          <Verdict event={event} waits={waits?.id === event.id ? waits.words : ""} />
          <Actions close={close} move={move} />
        </h2>
        {summarizeArguments(event) && (
          <bdi class="mono mid wrap">
            <RedactedText text={summarizeArguments(event)} plain />
          </bdi>
        )}
      </header>
      <Facts event={event} begin={begin} select={select} />
      {error && !full && <LoadError words={error.message} retry={reload} />}
      {!full && !error && <LoadingPlaceholder lines={5} />}
      {full && event.failed && <FileFailureButton full={full} />}
      {full && <EventBody full={full} most={most} loading={loading} whole={whole} />}
    </aside>
  );
}

const Actions = ({ close, move }: Pick<PanelProps, "close" | "move">) => (
  <span class="acts">
    <button class="btn quiet sq" type="button" aria-label="Previous event" onClick={() => move(-1)}>
      <Icon name="up" class="i-14" />
    </button>
    <button class="btn quiet sq" type="button" aria-label="Next event" onClick={() => move(1)}>
      <Icon name="dn" class="i-14" />
    </button>
    <button class="btn quiet sq" type="button" aria-label="Close" onClick={close}>
      <Icon name="x" class="i-14" />
    </button>
  </span>
);

const Verdict = ({ event, waits }: { event: SessionEvent; waits: string }) =>
  event.failed ? (
    <span class="badge fail">
      <Icon name="fail" />
      {formatFailureText(event).length < 12 ? formatFailureText(event) : "failed"}
    </span>
  ) : waits ? (
    <span class="badge run">
      <Icon name="lock" />
      {waits}
    </span>
  ) : event.open ? (
    <span class="badge run">
      <Icon name="run" class="ring" />
      running
    </span>
  ) : (
    <span class="badge ok">
      <Icon name="check" />
      ok
    </span>
  );

const Facts = ({ event, begin, select }: Pick<PanelProps, "event" | "begin" | "select">) => (
  <dl class="kv">
    <dt>Started</dt>
    <dd>
      <span class="mono">+{formatTimeOffset(event.at - begin)}</span>{" "}
      <time class="dim" dateTime={new Date(event.at).toISOString()} title={formatExactTime(event.at)}>
        {formatTimeOfDay(event.at)}.{String(event.at % 1_000).padStart(3, "0")}
      </time>
    </dd>
    <dt>Duration</dt>
    <dd class="mono">{formatDuration(computeEventDuration(event))}</dd>
    {event.parent && (
      <>
        <dt>Parent</dt>
        <dd>
          <button class="link cut" type="button" onClick={() => event.parent && select(event.parent.id)}>
            {formatEventName(event.parent)}
          </button>
        </dd>
      </>
    )}
    {event.parentId && !event.parent && (
      <>
        <dt>Parent</dt>
        <dd class="dim">not recorded</dd>
      </>
    )}
    <dt>Event</dt>
    <dd class="row">
      <span class="mono cut">{event.id}</span>
      <CopyButton text={event.id} label="Copy the event's id" />
    </dd>
  </dl>
);
