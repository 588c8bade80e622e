import { Avatar } from "../../../parts/marks.tsx";
import { withoutAnsi } from "../../../parts/texts/ansi.ts";
import { duration, offset, plural } from "../../../parts/texts/format.ts";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { type SessionEvent, tookOf } from "../events.ts";
import type { Recorded } from "../readings.ts";
import { Call } from "./call.tsx";
import { useTexts } from "./texts.ts";

interface TurnProps {
  recorded: Recorded;
  turn: SessionEvent;
  number: number;
  begin: number;
}

/** A turn: the message to the agent, the calls, and the reply. */
export function Turn({ recorded, turn, number, begin }: TurnProps) {
  const texts = useTexts(recorded.id, turn.id);
  const isTurn = turn.kind === "turn";
  const calls = isTurn ? turn.children : [turn];
  return (
    <section id={`turn-${turn.id}`} aria-label={`Turn ${number}`}>
      <div class="turnline">
        <h2>Turn {number}</h2>
        <span>
          {duration(tookOf(turn))} · {plural(countOf(turn), "event")}
        </span>
      </div>
      {isTurn && (
        <Message
          after={turn.at - begin}
          by={recorded.user?.id ?? "user"}
          text={texts ? withoutAnsi(texts.args) : turn.brief}
        />
      )}
      {calls.length > 0 && (
        <div class="msg">
          <time>{turn.children[0] ? offset(turn.children[0].at - begin) : ""}</time>
          <div class="tools">
            {calls.map((event) => (
              <Call key={event.id} sessionId={recorded.id} event={event} />
            ))}
          </div>
        </div>
      )}
      {isTurn && texts?.result && (
        <Message after={turn.at + (turn.latency ?? 0) - begin} by={turn.name} bot text={withoutAnsi(texts.result)} />
      )}
    </section>
  );
}

interface MessageProps {
  /** Ms since the session began. */
  after: number;
  by: string;
  bot?: boolean;
  text: string;
}

const Message = ({ after, by, bot = false, text }: MessageProps) => (
  <article class={bot ? "msg" : "msg user"}>
    <time>{offset(after)}</time>
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
