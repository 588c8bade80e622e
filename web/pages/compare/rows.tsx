import { useLayoutEffect, useRef } from "preact/hooks";
import { ComparedEvents, Event } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon, PathIcon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { removeAnsi } from "../../parts/texts/ansi.ts";
import { formatDuration } from "../../parts/texts/format.ts";
import { LongText } from "../../parts/texts/long-text.tsx";
import { useHistoryState } from "../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import type { SessionEvent } from "../session/events.ts";
import { formatEventName, formatFailureText, getEventIcon, summarizeArguments } from "../session/words.ts";
import type { AlignedRow } from "./align.ts";
import { CALL_COMPARISON_STYLES } from "./compare.tsx";
import { collapseEqualRows, formatCallNames } from "./folded.ts";
import { renderTextDifference } from "./marked.tsx";

/** Number of rows that are shown at first, and that each press of the button adds. */
const SHOWN = 300;
/** Maximum number of characters read from arguments and results. */
const TEXT = 20_000;

interface RowsProps {
  rows: readonly AlignedRow[];
  divergence: number;
  /** True to show equal rows as well. */
  all: boolean;
  /**
   * Counts how often the user asked to go to the divergence. When the count grows, the row of the divergence is
   * selected.
   */
  asked: number;
  a: string;
  b: string;
}

const buildRowKey = ({ a, b }: AlignedRow): string => `${a?.id ?? ""} ${b?.id ?? ""}`;

/** List of aligned events, with a line at the divergence. An opened row shows both calls in full. */
export function ComparedRows({ rows, divergence, all, asked, a, b }: RowsProps) {
  const [open, setOpen] = useHistoryState("open", "");
  const [chosen, choose] = useHistoryState("chosen", "");
  const [most, setMost] = useHistoryState("rows", SHOWN);
  const list = useRef<HTMLDivElement>(null);
  const differing = rows.filter(({ is }) => is !== "same").map(buildRowKey);
  const move = (by: number) => {
    const at = differing.indexOf(chosen);
    const next = differing[at < 0 ? 0 : Math.min(differing.length - 1, Math.max(0, at + by))];
    if (next !== undefined) choose(next);
  };
  useKeyboardShortcuts({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Enter: () => chosen && setOpen(open === chosen ? "" : chosen),
  });
  // A layout effect selects the row before the next key press. With an ordinary effect, Enter directly after D would
  // open no row.
  useLayoutEffect(() => {
    const first = rows[divergence];
    if (asked > 0 && first) choose(buildRowKey(first));
  }, [asked]);
  useLayoutEffect(() => {
    list.current?.querySelector<HTMLElement>("[aria-current] button")?.focus({ preventScroll: true });
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const shown = collapseEqualRows(rows, all);
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
              {each.same.length === 1 ? "1 identical event" : `${each.same.length} identical events`}:{" "}
              <bdi>{formatCallNames(each.same)}</bdi>
            </li>
          ) : (
            <OneRow
              key={buildRowKey(each.row)}
              row={each.row}
              isFirst={each.at === divergence}
              isChosen={buildRowKey(each.row) === chosen}
              isOpen={buildRowKey(each.row) === open}
              press={() => {
                choose(buildRowKey(each.row));
                setOpen(open === buildRowKey(each.row) ? "" : buildRowKey(each.row));
              }}
              sessions={[a, b]}
            />
          ),
        )}
      </ol>
      {divergence < 0 && <p class="none mid">Both runs have the same calls, arguments and failures.</p>}
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
  row: AlignedRow;
  isFirst: boolean;
  isChosen: boolean;
  isOpen: boolean;
  press: () => void;
  sessions: [string, string];
}

function OneRow({ row, isFirst, isChosen, isOpen, press, sessions }: OneRowProps) {
  const [name, drawing, tint] = CALL_COMPARISON_STYLES[row.is];
  const isTurn = (row.a ?? row.b)?.kind === "turn";
  return (
    <li class={`${isFirst ? "first" : ""} ${isTurn ? "turn" : ""}`} aria-current={isChosen ? "true" : undefined}>
      {isFirst && (
        <p class="divergence">
          <PathIcon d={CALL_COMPARISON_STYLES.result[1]} class="i-14" />
          <b>First divergence</b>
        </p>
      )}
      <button class={`pair is-${row.is}`} type="button" aria-expanded={isOpen} onClick={press}>
        <span class={`mark ${tint}`}>
          <PathIcon d={drawing} class="i-14" />
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
  /** Call to compare with. The differences are marked. */
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
  const subject = event.kind === "turn" ? formatEventName(event) : summarizeArguments(event);
  const failed = formatFailureText(event);
  return (
    <span class={event.failed ? "side bad" : "side"}>
      <span class="letter" aria-hidden="true">
        {letter}
      </span>
      <Icon name={getEventIcon(event)} class="i-14" />
      {event.kind !== "turn" && <bdi class="strong">{event.name}</bdi>}
      <bdi class={event.kind === "turn" ? "cut grow strong" : "cut grow mono"}>
        {other ? renderTextDifference(...differingOf(event, other)) : subject}
      </bdi>
      {failed && <bdi class="result cut">{failed}</bdi>}
      <span class="took num dim only-wide">{event.latency === null ? "" : formatDuration(event.latency)}</span>
    </span>
  );
}

/**
 * Returns the texts that distinguish the arguments of two calls: the subjects, or the full arguments if the subjects
 * are equal.
 */
function differingOf(event: SessionEvent, other: SessionEvent): [string, string] {
  const subjects: [string, string] = [summarizeArguments(event), summarizeArguments(other)];
  return subjects[0] === subjects[1] ? [event.brief, other.brief] : subjects;
}

/** Shows the arguments and results of both calls, or of the only call if one run lacks the call. */
function Both({ row, sessions: [a, b] }: { row: AlignedRow; sessions: [string, string] }) {
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
    <LoadedContent data={data} error={error} retry={reload} lines={2}>
      {(both) => (
        <>
          <Texts {...both.a} session={sessions[0]} letter="A" other={both.b} />
          <Texts {...both.b} session={sessions[1]} letter="B" other={both.a} />
        </>
      )}
    </LoadedContent>
  );
}

function Single({ id, session, letter }: { id: string; session: string; letter: string }) {
  const { data, error, reload } = useQuery(Event, { id, maxLength: TEXT });
  return (
    <LoadedContent data={data} error={error} retry={reload} lines={2}>
      {({ recordedEvent }) => <Texts {...recordedEvent} session={session} letter={letter} />}
    </LoadedContent>
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
    <LongText text={removeAnsi(args ?? "")} label={`Arguments in ${letter}`} />
    <h3>Result{other && other.result === result && ", the same"}</h3>
    <LongText text={removeAnsi(result ?? "")} label={`Result in ${letter}`} />
  </section>
);
