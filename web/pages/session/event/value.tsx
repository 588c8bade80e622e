import { useEffect, useMemo, useState } from "preact/hooks";
import { Fold } from "../../../parts/fold.tsx";
import { withoutAnsi } from "../../../parts/texts/ansi.ts";
import { bytes } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { mayHoldPicture, Picture, pictureOf } from "../../../parts/texts/picture.tsx";
import { Chat } from "./chat.tsx";
import { type Message, messagesOf } from "./messages.ts";

/** JSON longer than this is shown as text: parsing it would take the page's time. */
const LONGEST_JSON = 3_000_000;

interface ValueProps {
  title: string;
  text: string;
  /** True if this is only its beginning. */
  cut: boolean;
  loading: boolean;
  failed: boolean;
  /** It is of a model call: its messages are shown as a chat. */
  ofModel: boolean;
  /** Reads the rest. */
  whole: () => void;
}

/** Levels of a value that are unfolded; and where a picture is in it, which stands deeper. */
const LEVELS = 2;
const LEVELS_TO_PICTURE = 6;

type Way = "chat" | "json" | "text" | "markdown" | "raw";

const NAMES: Record<Way, string> = { chat: "Chat", json: "JSON", text: "Text", markdown: "Markdown", raw: "Raw" };

/** Arguments or a result: as a chat, as JSON that folds, as text, as Markdown, or raw, as it was sent. */
export function Value({ title, text, cut, loading, failed, ofModel, whole }: ValueProps) {
  const json = useMemo(() => (cut ? undefined : parsed(text)), [text, cut]);
  const isTree = typeof json?.value === "object";
  const messages = useMemo(() => (ofModel ? messagesOf(json?.value) : undefined), [json, ofModel]);
  const ways: Way[] = [...(messages ? ["chat" as const] : []), ...(isTree ? TREE : TEXT)];
  const [chosen, choose] = useState<Way>();
  const shown = chosen && ways.includes(chosen) ? chosen : (ways[0] as Way);
  // A picture is shown only whole.
  useEffect(() => {
    if (cut && !loading && mayHoldPicture(text)) whole();
  }, [cut, text]);
  return (
    <Fold title={title} detail={cut ? `more than ${bytes(text.length)}` : bytes(new Blob([text]).size)}>
      {text === "" ? (
        <p class="dim">Nothing was sent.</p>
      ) : (
        <>
          <div class="seg ways" role="group" aria-label={`${title} as`}>
            {ways.map((way) => (
              <button key={way} type="button" aria-pressed={shown === way} onClick={() => choose(way)}>
                {NAMES[way]}
              </button>
            ))}
          </div>
          <Shown way={shown} text={text} json={json} messages={messages} label={failed ? `${title}, failed` : title} />
          {cut && (
            <button class="btn" type="button" onClick={whole} disabled={loading} aria-busy={loading}>
              Show all of it
            </button>
          )}
        </>
      )}
    </Fold>
  );
}

const TREE = ["json", "raw"] as const;
const TEXT = ["text", "markdown", "raw"] as const;

interface ShownProps {
  way: Way;
  text: string;
  json: { value: unknown } | undefined;
  messages: Message[] | undefined;
  label: string;
}

function Shown({ way, text, json, messages, label }: ShownProps) {
  // A text that was sent as a JSON string stands as itself.
  const said = typeof json?.value === "string" ? json.value : text;
  const picture = way === "text" ? pictureOf(said) : undefined;
  if (picture) return <Picture {...picture} />;
  if (way === "chat" && messages) return <Chat messages={messages} label={`${label}: messages`} />;
  if (way === "markdown") return <Markdown text={withoutAnsi(said)} />;
  if (way === "json") {
    return (
      <div class="js">
        <JsonTree value={json?.value} open={mayHoldPicture(text) ? LEVELS_TO_PICTURE : LEVELS} />
      </div>
    );
  }
  return <LongText text={way === "raw" ? text : withoutAnsi(said)} label={label} />;
}

function parsed(text: string): { value: unknown } | undefined {
  if (text.length > LONGEST_JSON || !/^\s*[[{"]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
