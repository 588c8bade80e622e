import { Icon } from "../../../parts/icon.tsx";
import { Failure, Skeleton } from "../../../parts/states.tsx";
import { Copy } from "../../../parts/texts/copy.tsx";
import { clock, duration, exact, offset } from "../../../parts/texts/format.ts";
import { Redacted } from "../../../parts/texts/redacted.tsx";
import { type SessionEvent, tookOf } from "../events.ts";
import type { Waits } from "../timeline/tree-row.tsx";
import { about, failureOf, iconOf, nameOf } from "../words.ts";
import { Body } from "./body.tsx";
import { FileFailure } from "./file-failure.tsx";
import { useFullEvent } from "./full-event.ts";

interface PanelProps {
  event: SessionEvent;
  begin: number;
  waits: Waits | undefined;
  close: () => void;
  move: (by: number) => void;
  select: (id: string) => void;
}

/** One event beside the tree. */
export function Panel({ event, begin, waits, close, move, select }: PanelProps) {
  const { full, error, loading, most, whole, reload } = useFullEvent(event.id);
  return (
    <aside class="panel up" aria-label="Event">
      <header>
        <span class="grab" aria-hidden="true" />
        <h2>
          <Icon name={iconOf(event)} />
          <bdi class="cut">{event.kind === "turn" ? event.name : nameOf(event)}</bdi>
          <Verdict event={event} waits={waits?.id === event.id ? waits.words : ""} />
          <Actions close={close} move={move} />
        </h2>
        {about(event) && (
          <bdi class="mono mid wrap">
            <Redacted text={about(event)} plain />
          </bdi>
        )}
      </header>
      <Facts event={event} begin={begin} select={select} />
      {error && !full && <Failure words={error.message} retry={reload} />}
      {!full && !error && <Skeleton lines={5} />}
      {full && event.failed && <FileFailure full={full} />}
      {full && <Body full={full} most={most} loading={loading} whole={whole} />}
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
      {failureOf(event).length < 12 ? failureOf(event) : "failed"}
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
      <span class="mono">+{offset(event.at - begin)}</span>{" "}
      <time class="dim" dateTime={new Date(event.at).toISOString()} title={exact(event.at)}>
        {clock(event.at)}.{String(event.at % 1_000).padStart(3, "0")}
      </time>
    </dd>
    <dt>Duration</dt>
    <dd class="mono">{duration(tookOf(event))}</dd>
    {event.parent && (
      <>
        <dt>Within</dt>
        <dd>
          <button class="link cut" type="button" onClick={() => event.parent && select(event.parent.id)}>
            {nameOf(event.parent)}
          </button>
        </dd>
      </>
    )}
    {event.parentId && !event.parent && (
      <>
        <dt>Within</dt>
        <dd class="dim">an event that was not recorded here</dd>
      </>
    )}
    <dt>Event</dt>
    <dd class="row">
      <span class="mono cut">{event.id}</span>
      <Copy text={event.id} label="Copy the event's id" />
    </dd>
  </dl>
);
