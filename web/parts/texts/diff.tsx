import type { FileEdit } from "./edits.ts";
import { RedactedText } from "./redacted.tsx";

const MOST_LINES = 800;
const CLASSES = { " ": "", "+": "a", "-": "d" } as const;

/** Lines that an edit removed and added. `number` counts the edits of one file, from 1. */
export function EditDiff({ edit: { file, lines, whole }, number }: { edit: FileEdit; number: number }) {
  const countOf = (wanted: string) => lines.filter(([mark]) => mark === wanted).length;
  return (
    <div class="diff">
      <div class="fn">
        <bdi class="cut">{file}</bdi>
        {whole && <span class="dim">whole file written</span>}
        <span class="add">+{countOf("+")}</span>
        {!whole && <span class="del">-{countOf("-")}</span>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keys have to reach it */}
      <div class="ls" tabIndex={0} role="region" aria-label={`Change ${number} of ${file}`}>
        {lines.slice(0, MOST_LINES).map(([mark, text], at) => (
          <div key={at} class={`ln ${CLASSES[mark]}`}>
            <i />
            <b>{mark}</b>
            <span>
              <RedactedText text={text} />
            </span>
          </div>
        ))}
        {lines.length > MOST_LINES && <div class="ln">{`… ${lines.length - MOST_LINES} more lines`}</div>}
      </div>
    </div>
  );
}
