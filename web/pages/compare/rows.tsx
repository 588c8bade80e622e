import { useLayoutEffect, useRef } from "preact/hooks";
import { ComparedEvents, Event } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Drawing, Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { withoutAnsi } from "../../parts/texts/ansi.ts";
import { duration } from "../../parts/texts/format.ts";
import { LongText } from "../../parts/texts/long-text.tsx";
import { useKept } from "../../shell/kept.ts";
import { useKeys } from "../../shell/keys.ts";
import type { SessionEvent } from "../session/events.ts";
import { about, failureOf, iconOf, nameOf } from "../session/words.ts";
import type { Row } from "./align.ts";
import { KINDS } from "./compare.tsx";
import { namesOf, shownOf } from "./folded.ts";
import { marked } from "./marked.tsx";

/** Rows that are drawn at once; a button shows as many more. */
const SHOWN = 300;
/** Characters of the texts of two calls. */
const TEXT = 20_000;

interface RowsProps {
  rows: readonly Row[];
  divergence: number;
  /** Rows that are the same are shown, too. */
  all: boolean;
  /** The number of times that the first divergence was asked for. */
  asked: number;
  a: string;
  b: string;
}

const keyOf = ({ a, b }: Row): string => `${a?.id ?? ""} ${b?.id ?? ""}`;

/** The aligned events, with a line where the runs part. One row is chosen, and shows both calls in full. */
export function Rows({ rows, divergence, all, asked, a, b }: RowsProps) {
  const [open, setOpen] = useKept("open", "");
  const [chosen, choose] = useKept("chosen", "");
  const [most, setMost] = useKept("rows", SHOWN);
  const list = useRef<HTMLDivElement>(null);
  const differing = rows.filter(({ is }) => is !== "same").map(keyOf);
  const move = (by: number) => {
    const at = differing.indexOf(chosen);
    const next = differing[at < 0 ? 0 : Math.min(differing.length - 1, Math.max(0, at + by))];
    if (next !== undefined) choose(next);
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Enter: () => chosen && setOpen(open === chosen ? "" : chosen),
  });
  // Both before the next key: Enter after D would open nothing yet.
  useLayoutEffect(() => {
    const first = rows[divergence];
    if (asked > 0 && first) choose(keyOf(first));
  }, [asked]);
  useLayoutEffect(() => {
    list.current?.querySelector<HTMLElement>("[aria-current] button")?.focus({ preventScroll: true });
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const shown = shownOf(rows, all);
  return (
    <div class="compare-rows" ref={list}>
      <div class="pair-head only-wide" aria-hidden="true">
        <span>A</span>
        <span>B</span>
      </div>
      <ol aria-label="Events of both runs">
        {shown.slice(0, most).map((each) =>
          "same" in each ? (
            <li key={`same ${each.at}`} class="same-rows">
              {each.same.length === 1 ? "1 event is the same" : `${each.same.length} events are the same`}:{" "}
              <bdi>{namesOf(each.same)}</bdi>
            </li>
          ) : (
            <OneRow
              key={keyOf(each.row)}
              row={each.row}
              isFirst={each.at === divergence}
              isChosen={keyOf(each.row) === chosen}
              isOpen={keyOf(each.row) === open}
              press={() => {
                choose(keyOf(each.row));
                setOpen(open === keyOf(each.row) ? "" : keyOf(each.row));
              }}
              sessions={[a, b]}
            />
          ),
        )}
      </ol>
      {divergence < 0 && <p class="none mid">Both runs did the same, as far as arguments and failures show.</p>}
      {shown.length > most && (
        <p class="pad">
          <button class="btn" type="button" onClick={() => setMost(most + SHOWN)}>
            Show {Math.min(SHOWN, shown.length - most)} more of {shown.length}
          </button>
        </p>
      )}
    </div>
  );
}

interface OneRowProps {
  row: Row;
  isFirst: boolean;
  isChosen: boolean;
  isOpen: boolean;
  press: () => void;
  sessions: [string, string];
}

function OneRow({ row, isFirst, isChosen, isOpen, press, sessions }: OneRowProps) {
  const [name, drawing, tint] = KINDS[row.is];
  const isTurn = (row.a ?? row.b)?.kind === "turn";
  return (
    <li class={`${isFirst ? "first" : ""} ${isTurn ? "turn" : ""}`} aria-current={isChosen ? "true" : undefined}>
      {isFirst && (
        <p class="divergence">
          <Drawing d={KINDS.result[1]} class="i-14" />
          <b>First divergence</b>
        </p>
      )}
      <button class={`pair is-${row.is}`} type="button" aria-expanded={isOpen} onClick={press}>
        <span class={`mark ${tint}`}>
          <Drawing d={drawing} class="i-14" />
          <span>{name}</span>
        </span>
        <Side event={row.a} other={row.is === "arguments" ? row.b : undefined} letter="A" />
        <Side event={row.b} other={row.is === "arguments" ? row.a : undefined} letter="B" />
      </button>
      {isOpen && <Both row={row} sessions={sessions} />}
    </li>
  );
}

interface SideProps {
  event: SessionEvent | undefined;
  /** The call that it is compared with: what differs is marked. */
  other: SessionEvent | undefined;
  letter: string;
}

function Side({ event, other, letter }: SideProps) {
  if (!event) {
    return (
      <span class="side none-here">
        <span class="sr">not in {letter}</span>
      </span>
    );
  }
  const subject = event.kind === "turn" ? nameOf(event) : about(event);
  const failed = failureOf(event);
  return (
    <span class={event.failed ? "side bad" : "side"}>
      <span class="letter" aria-hidden="true">
        {letter}
      </span>
      <Icon name={iconOf(event)} class="i-14" />
      {event.kind !== "turn" && <bdi class="strong">{event.name}</bdi>}
      <bdi class={event.kind === "turn" ? "cut grow strong" : "cut grow mono"}>
        {other ? marked(...differingOf(event, other)) : subject}
      </bdi>
      {failed && <bdi class="result cut">{failed}</bdi>}
      <span class="took num dim only-wide">{event.latency === null ? "" : duration(event.latency)}</span>
    </span>
  );
}

/** The texts that tell the arguments of two calls apart: their subjects, or where those are alike, all that is known of them. */
function differingOf(event: SessionEvent, other: SessionEvent): [string, string] {
  const subjects: [string, string] = [about(event), about(other)];
  return subjects[0] === subjects[1] ? [event.brief, other.brief] : subjects;
}

/** Arguments and results of both calls, or of the one there is. */
function Both({ row, sessions: [a, b] }: { row: Row; sessions: [string, string] }) {
  return (
    <div class="both">
      {row.a && row.b ? (
        <Pair a={row.a.id} b={row.b.id} sessions={[a, b]} />
      ) : (
        <>
          <div>{row.a && <Single id={row.a.id} session={a} letter="A" />}</div>
          <div>{row.b && <Single id={row.b.id} session={b} letter="B" />}</div>
        </>
      )}
    </div>
  );
}

function Pair({ a, b, sessions }: { a: string; b: string; sessions: [string, string] }) {
  const { data, error, reload } = useQuery(ComparedEvents, { a, b, maxLength: TEXT });
  return (
    <Loaded data={data} error={error} retry={reload} lines={2}>
      {(both) => (
        <>
          <Texts {...both.a} session={sessions[0]} letter="A" other={both.b} />
          <Texts {...both.b} session={sessions[1]} letter="B" other={both.a} />
        </>
      )}
    </Loaded>
  );
}

function Single({ id, session, letter }: { id: string; session: string; letter: string }) {
  const { data, error, reload } = useQuery(Event, { id, maxLength: TEXT });
  return (
    <Loaded data={data} error={error} retry={reload} lines={2}>
      {({ recordedEvent }) => <Texts {...recordedEvent} session={session} letter={letter} />}
    </Loaded>
  );
}

interface TextsProps {
  id: string;
  args: string | null;
  result: string | null;
  session: string;
  letter: string;
  other?: { args: string | null; result: string | null };
}

const Texts = ({ id, args, result, session, letter, other }: TextsProps) => (
  <section aria-label={`Call in ${letter}`}>
    <h3 class="row between">
      Arguments{other && other.args === args && ", the same"}
      <a href={`/sessions/${session}/events/${id}`}>Open in {letter}</a>
    </h3>
    <LongText text={withoutAnsi(args ?? "")} label={`Arguments in ${letter}`} />
    <h3>Result{other && other.result === result && ", the same"}</h3>
    <LongText text={withoutAnsi(result ?? "")} label={`Result in ${letter}`} />
  </section>
);
