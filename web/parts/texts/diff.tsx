import type { Edit } from "./edits.ts";
import { Redacted } from "./redacted.tsx";

const MOST_LINES = 800;
const CLASSES = { " ": "", "+": "a", "-": "d" } as const;

/** The lines that an edit took out and put in; `number` tells the edits of one file apart, from 1. */
export function Diff({ edit: { file, lines, whole }, number }: { edit: Edit; number: number }) {
  const countOf = (wanted: string) => lines.filter(([mark]) => mark === wanted).length;
  return (
    <div class="diff">
      <div class="fn">
        <bdi class="cut">{file}</bdi>
        {whole && <span class="dim">written whole</span>}
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
              <Redacted text={text} />
            </span>
          </div>
        ))}
        {lines.length > MOST_LINES && <div class="ln">{`… ${lines.length - MOST_LINES} lines more`}</div>}
      </div>
    </div>
  );
}
