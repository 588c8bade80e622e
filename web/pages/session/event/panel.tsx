import { useEffect, useState } from "preact/hooks";
import { Event, type EventQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Fold } from "../../../parts/fold.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Failure, Skeleton } from "../../../parts/states.tsx";
import { Copy } from "../../../parts/texts/copy.tsx";
import { Diff, editsOf } from "../../../parts/texts/diff.tsx";
import { clock, count, duration, exact, money, offset } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { type SessionEvent, tookOf } from "../events.ts";
import { about, failureOf, iconOf, nameOf } from "../words.ts";
import { FileFailure } from "./file-failure.tsx";
import { Value } from "./value.tsx";

/** Characters of a text that are read at first, and all there can be. */
const FIRST = 20_000;
const ALL = 8_388_608;

interface PanelProps {
  event: SessionEvent;
  begin: number;
  close: () => void;
  move: (by: number) => void;
  select: (id: string) => void;
}

/** One event beside the tree. */
export function Panel({ event, begin, close, move, select }: PanelProps) {
  const [most, setMost] = useState(FIRST);
  useEffect(() => setMost(FIRST), [event.id]);
  const { data, error, loading, reload } = useQuery(Event, { id: event.id, maxLength: most + 1 });
  const [kept, keep] = useState<EventQuery["recordedEvent"]>();
  useEffect(() => {
    if (data) keep(data.recordedEvent);
  }, [data]);
  // While the rest is read its beginning stays.
  const full = data?.recordedEvent ?? (kept?.id === event.id ? kept : undefined);
  return (
    <aside class="panel up" aria-label="Event">
      <header>
        <span class="grab" aria-hidden="true" />
        <h2>
          <Icon name={iconOf(event)} />
          <bdi class="cut">{event.kind === "turn" ? event.name : nameOf(event)}</bdi>
          <Verdict event={event} />
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
        </h2>
        {about(event) && <bdi class="mono mid wrap">{about(event)}</bdi>}
      </header>
      <Facts event={event} begin={begin} select={select} />
      {error && !full && <Failure words={error.message} retry={reload} />}
      {!full && !error && <Skeleton lines={5} />}
      {full && event.failed && <FileFailure full={full} />}
      {full && <Body full={full} most={most} loading={loading} whole={() => setMost(ALL)} />}
    </aside>
  );
}

const Verdict = ({ event }: { event: SessionEvent }) =>
  event.failed ? (
    <span class="badge fail">
      <Icon name="fail" />
      {failureOf(event).length < 12 ? failureOf(event) : "failed"}
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

interface BodyProps {
  full: EventQuery["recordedEvent"];
  most: number;
  loading: boolean;
  whole: () => void;
}

/** The model, what it read and wrote, and what that cost. */
function Usage({ full }: { full: EventQuery["recordedEvent"] }) {
  const { model, inputTokens, outputTokens, cacheReadTokens, cost, errorMessage } = full;
  const cached = cacheReadTokens ? `, ${count(cacheReadTokens)} cached` : "";
  const rows: [string, string | null][] = [
    ["Model", model],
    ["Tokens", inputTokens === null ? null : `${count(inputTokens)} → ${count(outputTokens ?? 0)}${cached}`],
    ["Cost", cost === null ? null : money(cost)],
    ["Error", errorMessage],
  ];
  const present = rows.filter(([, value]) => value);
  return present.length === 0 ? null : (
    <dl class="kv">
      {present.map(([name, value]) => (
        <div key={name} class="contents">
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Body({ full, most, loading, whole }: BodyProps) {
  const edits = full.args.length <= most ? editsOf(safely(full.args)) : [];
  const value = (title: string, text: string) => (
    <Value
      key={title}
      title={title}
      text={text.slice(0, most)}
      cut={text.length > most}
      loading={loading}
      failed={!full.success && title === "Result"}
      whole={whole}
    />
  );
  const [args, result] = [value("Arguments", full.args), value("Result", full.result)];
  return (
    <>
      <Usage full={full} />
      {edits.length > 0 && (
        <Fold title="Change" detail={edits[0]?.file ?? ""}>
          {edits.map((edit) => (
            <Diff key={edit.before + edit.after} edit={edit} />
          ))}
        </Fold>
      )}
      {full.checkpoints.length > 0 && <Checkpoints full={full} />}
      {/* A failed event's result is read first. */}
      {full.success ? [args, result] : [result, args]}
      {full.metadata && Object.keys(full.metadata).length > 0 && (
        <Fold title="Metadata" open={false}>
          <div class="js">
            <JsonTree value={full.metadata} open={2} />
          </div>
        </Fold>
      )}
    </>
  );
}

const Checkpoints = ({ full }: { full: EventQuery["recordedEvent"] }) => (
  <Fold title="Checkpoints" detail={String(full.checkpoints.length)}>
    <table class="steps">
      <thead>
        <tr>
          <th>Checkpoint</th>
          <th class="num">After</th>
          <th class="num">Took</th>
          <th class="num">Share</th>
        </tr>
      </thead>
      <tbody>
        {full.checkpoints.map(({ name, at, offset: after, delta, share }) => (
          <tr key={name}>
            <td title={exact(at)}>
              <bdi>{name}</bdi>
            </td>
            <td class="num mono">{duration(after)}</td>
            <td class="num mono">{duration(delta)}</td>
            <td class="num">
              <span class="meter" aria-hidden="true">
                <i style={{ "--v": share * 100 }} />
              </span>{" "}
              <span class="mono">{Math.round(share * 100)} %</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Fold>
);

function safely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
