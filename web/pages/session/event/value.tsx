import { useMemo, useState } from "preact/hooks";
import { Fold } from "../../../parts/fold.tsx";
import { bytes } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { withoutAnsi } from "../words.ts";

/** JSON longer than this is shown as text: parsing it would take the page's time. */
const LONGEST_JSON = 3_000_000;

interface ValueProps {
  title: string;
  text: string;
  /** True if this is only its beginning. */
  cut: boolean;
  loading: boolean;
  failed: boolean;
  /** Reads the rest. */
  whole: () => void;
}

/** Arguments or a result: as JSON that folds, as text, or as Markdown. */
export function Value({ title, text, cut, loading, failed, whole }: ValueProps) {
  const json = useMemo(() => (cut ? undefined : parsed(text)), [text, cut]);
  const [chosen, choose] = useState<"json" | "text" | "markdown">();
  const shown = chosen ?? (json ? "json" : "text");
  const ways = [...(json ? (["json"] as const) : []), "text" as const, ...(json ? [] : (["markdown"] as const))];
  return (
    <Fold title={title} detail={cut ? `more than ${bytes(text.length)}` : bytes(new Blob([text]).size)}>
      {text === "" ? (
        <p class="dim">Nothing was sent.</p>
      ) : (
        <>
          <div class="seg ways" role="group" aria-label={`${title} as`}>
            {ways.map((way) => (
              <button key={way} type="button" aria-pressed={shown === way} onClick={() => choose(way)}>
                {{ json: "JSON", text: "Text", markdown: "Markdown" }[way]}
              </button>
            ))}
          </div>
          {shown === "json" && json && (
            <div class="js">
              <JsonTree value={json.value} open={2} />
            </div>
          )}
          {shown === "text" && <LongText text={readable(text)} label={failed ? `${title}, failed` : title} />}
          {shown === "markdown" && <Markdown text={text} />}
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

function parsed(text: string): { value: unknown } | undefined {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Without colours; a text that was sent as a JSON string stands as itself. */
function readable(text: string): string {
  if (!/^".*"$/s.test(text)) return withoutAnsi(text);
  try {
    return withoutAnsi(String(JSON.parse(text)));
  } catch {
    return withoutAnsi(text);
  }
}
