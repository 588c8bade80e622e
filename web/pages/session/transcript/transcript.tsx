import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { Avatar } from "../../../parts/marks.tsx";
import { duration, offset, plural } from "../../../parts/texts/format.ts";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { type EventTree, type SessionEvent, tookOf } from "../events.ts";
import type { Recorded } from "../head.tsx";
import { about, failureOf, iconOf, nameOf, withoutAnsi } from "../words.ts";
import { Outline } from "./outline-side.tsx";
import { readTexts, type Texts } from "./texts.ts";

/** Turns that are made at once; more as somebody reads on, and all before they are printed. */
const STEP = 12;
/** Characters of a message, and of a call's output. */
const MESSAGE = 20_000;

/** The session as a story: what was asked, what was called between, what was answered. */
export function Transcript({ recorded, tree }: { recorded: Recorded; tree: EventTree }) {
  const [shown, setShown] = useState(STEP);
  const end = useRef<HTMLDivElement>(null);
  const flow = useRef<HTMLDivElement>(null);
  const turns = tree.roots.slice(0, shown);
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setShown((n) => n + STEP), {
      rootMargin: "800px",
    });
    if (end.current) watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [shown < tree.roots.length]);
  useEffect(() => {
    const all = () => setShown(Number.POSITIVE_INFINITY);
    addEventListener("beforeprint", all);
    return () => removeEventListener("beforeprint", all);
  }, []);
  const toFailure = () => {
    const all = [...(flow.current?.querySelectorAll<HTMLElement>(".tcall.bad") ?? [])];
    const at = all.findIndex((one) => one.contains(document.activeElement));
    const next = all[(at + 1) % Math.max(1, all.length)];
    for (let box = next?.parentElement?.closest("details"); box; box = box.parentElement?.closest("details"))
      box.open = true;
    next?.querySelector("summary")?.focus();
    next?.scrollIntoView({ block: "center" });
  };
  useKeys({ n: toFailure });
  const show = (turn: SessionEvent) => {
    setShown((n) => Math.max(n, tree.roots.indexOf(turn) + 1));
    requestAnimationFrame(() => document.getElementById(`turn-${turn.id}`)?.scrollIntoView());
  };
  return (
    <div class="tx">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keys have to reach it */}
      <div class="flow" ref={flow} tabIndex={0} role="region" aria-label="Transcript">
        <div class="col">
          {turns.map((turn, at) => (
            <Turn key={turn.id} recorded={recorded} turn={turn} number={at + 1} begin={tree.begin} />
          ))}
          {shown < tree.roots.length && (
            <div ref={end} class="mid">
              {plural(tree.roots.length - shown, "turn")} more
            </div>
          )}
        </div>
      </div>
      <Outline tree={tree} show={show} />
    </div>
  );
}

interface TurnProps {
  recorded: Recorded;
  turn: SessionEvent;
  number: number;
  begin: number;
}

function Turn({ recorded, turn, number, begin }: TurnProps) {
  const [texts, setTexts] = useState<Texts>();
  useEffect(() => {
    readTexts(recorded.id, [turn.id], MESSAGE).then(
      (found) => setTexts(found.get(turn.id)),
      () => {},
    );
  }, [turn.id]);
  const who = recorded.user?.id ?? "user";
  const isTurn = turn.kind === "turn";
  return (
    <section id={`turn-${turn.id}`} aria-label={`Turn ${number}`}>
      <div class="turnline">
        <h2>Turn {number}</h2>
        <span>
          {duration(tookOf(turn))} · {plural(countOf(turn), "event")}
        </span>
      </div>
      {isTurn && (
        <article class="msg user">
          <time>{offset(turn.at - begin)}</time>
          <div class="box">
            <div class="who">
              <Avatar name={who} />
              <bdi>{who}</bdi>
            </div>
            <Markdown text={texts ? withoutAnsi(texts.args) : turn.brief} />
          </div>
        </article>
      )}
      {(turn.children.length > 0 || !isTurn) && (
        <div class="msg">
          <time>{turn.children[0] ? offset(turn.children[0].at - begin) : ""}</time>
          <div class="tools">
            {(isTurn ? turn.children : [turn]).map((event) => (
              <Call key={event.id} sessionId={recorded.id} event={event} />
            ))}
          </div>
        </div>
      )}
      {isTurn && texts?.result && (
        <article class="msg">
          <time>{offset(turn.at + (turn.latency ?? 0) - begin)}</time>
          <div>
            <div class="who">
              <Avatar name={turn.name} bot />
              <bdi>{turn.name}</bdi>
            </div>
            <Markdown text={withoutAnsi(texts.result)} />
          </div>
        </article>
      )}
    </section>
  );
}

const countOf = (event: SessionEvent): number => event.children.reduce((sum, child) => sum + countOf(child), 1);

/** A call, folded unless it failed. Its texts are read when it is unfolded. */
function Call({ sessionId, event }: { sessionId: string; event: SessionEvent }) {
  const [open, setOpen] = useState(event.failed);
  const [texts, setTexts] = useState<Texts>();
  useEffect(() => {
    if (!open || texts) return;
    readTexts(sessionId, [event.id], MESSAGE).then(
      (found) => setTexts(found.get(event.id)),
      () => {},
    );
  }, [open]);
  const why = failureOf(event);
  return (
    <details
      class={event.failed ? "tcall bad" : "tcall"}
      open={open}
      onToggle={(toggle) => setOpen(toggle.currentTarget.open)}
    >
      <summary>
        <Icon name="right" class="i-14" />
        <Icon name={iconOf(event)} class="i-14" />
        <b>{nameOf(event)}</b>
        <bdi class="mono cut">{about(event)}</bdi>
        <span class="end">
          {why && (
            <span class="c-fail">
              <Icon name="fail" class="i-14" /> {why}
            </span>
          )}
          {duration(tookOf(event))}
        </span>
      </summary>
      {open && texts && (
        <div class="body">
          <LongText text={withoutAnsi(texts.result) || "Nothing was returned."} label={`Result of ${event.name}`} />
          <a href={`/sessions/${sessionId}/events/${event.id}`}>Open the event</a>
        </div>
      )}
      {open && event.children.length > 0 && (
        <div class="sub">
          <div class="tools">
            {event.children.map((child) => (
              <Call key={child.id} sessionId={sessionId} event={child} />
            ))}
          </div>
        </div>
      )}
    </details>
  );
}
