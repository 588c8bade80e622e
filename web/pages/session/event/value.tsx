import { useEffect, useMemo, useState } from "preact/hooks";
import { CollapsibleSection } from "../../../parts/fold.tsx";
import { removeAnsi } from "../../../parts/texts/ansi.ts";
import { formatBytes } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { mayContainPicture, Picture, parsePicture } from "../../../parts/texts/picture.tsx";
import { MessageList } from "./chat.tsx";
import { type Message, parseMessages } from "./messages.ts";

/**
 * Maximum number of characters of JSON that the page parses. Longer JSON is shown as text, because parsing would block
 * the page.
 */
const LONGEST_JSON = 3_000_000;

interface ValueProps {
  title: string;
  text: string;
  /** True if the text is truncated. */
  cut: boolean;
  loading: boolean;
  failed: boolean;
  /** True for a model call. The messages are shown as a chat. */
  ofModel: boolean;
  /** Reads the full text. */
  whole: () => void;
}

/**
 * Number of JSON levels that are expanded at first. More levels are expanded in values that contain a picture, because
 * pictures are nested deeper.
 */
const LEVELS = 2;
const LEVELS_TO_PICTURE = 6;

type Way = "chat" | "json" | "text" | "markdown" | "raw";

const NAMES: Record<Way, string> = { chat: "Chat", json: "JSON", text: "Text", markdown: "Markdown", raw: "Raw" };

/**
 * Arguments or result of an event. The user can switch between the available formats: chat, collapsible JSON, text,
 * Markdown, and raw text.
 */
export function EventValue({ title, text, cut, loading, failed, ofModel, whole }: ValueProps) {
  const json = useMemo(() => (cut ? undefined : parsed(text)), [text, cut]);
  const isTree = typeof json?.value === "object";
  const messages = useMemo(() => (ofModel ? parseMessages(json?.value) : undefined), [json, ofModel]);
  const ways: Way[] = [...(messages ? ["chat" as const] : []), ...(isTree ? TREE : TEXT)];
  const [chosen, choose] = useState<Way>();
  const shown = chosen && ways.includes(chosen) ? chosen : (ways[0] as Way);
  // A picture needs the full text.
  useEffect(() => {
    if (cut && !loading && mayContainPicture(text)) whole();
  }, [cut, text]);
  return (
    <CollapsibleSection
      title={title}
      detail={cut ? `more than ${formatBytes(text.length)}` : formatBytes(new Blob([text]).size)}
    >
      {text === "" ? (
        <p class="dim">Empty.</p>
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
              Show all
            </button>
          )}
        </>
      )}
    </CollapsibleSection>
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
  // Shows a value that is a JSON string as text, without quotation marks and escapes.
  const said = typeof json?.value === "string" ? json.value : text;
  const picture = way === "text" ? parsePicture(said) : undefined;
  if (picture) return <Picture {...picture} />;
  if (way === "chat" && messages) return <MessageList messages={messages} label={`${label}: messages`} />;
  if (way === "markdown") return <Markdown text={removeAnsi(said)} />;
  if (way === "json") {
    return (
      <div class="js">
        <JsonTree value={json?.value} open={mayContainPicture(text) ? LEVELS_TO_PICTURE : LEVELS} />
      </div>
    );
  }
  return <LongText text={way === "raw" ? text : removeAnsi(said)} label={label} />;
}

function parsed(text: string): { value: unknown } | undefined {
  if (text.length > LONGEST_JSON || !/^\s*[[{"]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
