import { Avatar } from "../../../parts/marks.tsx";
import { removeAnsi } from "../../../parts/texts/ansi.ts";
import { formatDuration, formatPlural, formatTimeOffset } from "../../../parts/texts/format.ts";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { computeEventDuration, type SessionEvent } from "../events.ts";
import type { SessionData } from "../readings.ts";
import { TranscriptCall } from "./call.tsx";
import { useEventContent } from "./texts.ts";

interface TurnProps {
  recorded: SessionData;
  turn: SessionEvent;
  number: number;
  begin: number;
}

/** Turn: prompt, calls and reply. */
export function TranscriptTurn({ recorded, turn, number, begin }: TurnProps) {
  const texts = useEventContent(recorded.id, turn.id);
  const isTurn = turn.kind === "turn";
  const calls = isTurn ? turn.children : [turn];
  return (
    <section id={`turn-${turn.id}`} aria-label={`Turn ${number}`}>
      <div class="turnline">
        <h2>Turn {number}</h2>
        <span>
          {formatDuration(computeEventDuration(turn))} · {formatPlural(countOf(turn), "event")}
        </span>
      </div>
      {isTurn && (
        <Message
          after={turn.at - begin}
          by={recorded.user?.id ?? "user"}
          text={texts ? removeAnsi(texts.args) : turn.brief}
        />
      )}
      {calls.length > 0 && (
        <div class="msg">
          <time>{turn.children[0] ? formatTimeOffset(turn.children[0].at - begin) : ""}</time>
          <div class="tools">
            {calls.map((event) => (
              <TranscriptCall key={event.id} sessionId={recorded.id} event={event} />
            ))}
          </div>
        </div>
      )}
      {isTurn && texts?.result && (
        <Message after={turn.at + (turn.latency ?? 0) - begin} by={turn.name} bot text={removeAnsi(texts.result)} />
      )}
    </section>
  );
}

interface MessageProps {
  /** Milliseconds since the session began. */
  after: number;
  by: string;
  bot?: boolean;
  text: string;
}

const Message = ({ after, by, bot = false, text }: MessageProps) => (
  <article class={bot ? "msg" : "msg user"}>
    <time>{formatTimeOffset(after)}</time>
    <div class={bot ? undefined : "box"}>
      <div class="who">
        <Avatar name={by} bot={bot} />
        <bdi>{by}</bdi>
      </div>
      <Markdown text={text} />
    </div>
  </article>
);

const countOf = (event: SessionEvent): number => event.children.reduce((sum, child) => sum + countOf(child), 1);
