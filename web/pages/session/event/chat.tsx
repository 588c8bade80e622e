import { useState } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { Avatar } from "../../../parts/marks.tsx";
import { removeAnsi } from "../../../parts/texts/ansi.ts";
import { formatPlural } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import type { Message, MessagePart } from "./messages.ts";

/**
 * Number of messages shown at first. Earlier messages are hidden, because earlier calls of the model usually contain
 * the same messages.
 */
const SHOWN = 12;

/** Messages of a model call. Shows the last messages of a long list. */
export function MessageList({ messages, label }: { messages: readonly Message[]; label: string }) {
  const [all, showAll] = useState(false);
  const left = all ? 0 : Math.max(0, messages.length - SHOWN);
  return (
    <>
      {left > 0 && (
        <button class="btn quiet" type="button" onClick={() => showAll(true)}>
          {formatPlural(left, "earlier message")}
        </button>
      )}
      <ol class="chat" aria-label={label} start={left + 1}>
        {messages.slice(left).map(({ role, parts }, at) => (
          <li key={left + at} class={role === "user" ? "user" : ""}>
            <div class="who">
              <Avatar name={role} bot={role !== "user"} />
              <bdi>{role}</bdi>
            </div>
            {parts.length === 0 && <p class="dim">Empty message.</p>}
            {parts.map((part, n) => (
              <PartOfMessage key={n} part={part} />
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}

function PartOfMessage({ part: { kind, name, value } }: { part: MessagePart }) {
  if (kind === "text" && typeof value === "string") return <Markdown text={removeAnsi(value)} />;
  const words = { text: "Part", call: "Call of", result: "Result" }[kind];
  return (
    <div class="part">
      <p class="dim row">
        <Icon name={kind === "call" ? "tools" : "right"} class="i-14" />
        {words} <bdi class="strong">{name}</bdi>
      </p>
      {typeof value === "string" ? (
        <LongText text={removeAnsi(value)} label={`${words} ${name}`} />
      ) : (
        <div class="js">
          <JsonTree value={value} open={2} />
        </div>
      )}
    </div>
  );
}
