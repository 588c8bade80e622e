/** An edit as tools send one. */
export interface Edit {
  file: string;
  before: string;
  after: string;
}

/** The edits within arguments; none for a call that edits nothing. */
export function editsOf(args: unknown): Edit[] {
  if (typeof args !== "object" || args === null) return [];
  const { file_path, path, edits } = args as Record<string, unknown>;
  const file = String(file_path ?? path ?? "");
  const list = Array.isArray(edits) ? edits : [args];
  return list.flatMap((each) => {
    const { old_string, new_string } = (each ?? {}) as Record<string, unknown>;
    if (typeof old_string !== "string" || typeof new_string !== "string") return [];
    return [{ file, before: old_string, after: new_string }];
  });
}

const MOST_LINES = 400;

/** The lines an edit took out and put in; lines that both have at the beginning and the end stand once. */
export function Diff({ edit }: { edit: Edit }) {
  const [old, now] = [edit.before.split("\n"), edit.after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [out, into] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  return (
    <div class="diff">
      <div class="fn">
        <bdi class="cut">{edit.file}</bdi>
        <span class="add">+{into.length}</span>
        <span class="del">-{out.length}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keys have to reach it */}
      <div class="ls" tabIndex={0} role="region" aria-label={`Change of ${edit.file}`}>
        <Lines lines={old.slice(Math.max(0, head - 3), head)} mark=" " />
        <Lines lines={out} mark="-" />
        <Lines lines={into} mark="+" />
        <Lines lines={old.slice(old.length - tail, old.length - tail + 3)} mark=" " />
      </div>
    </div>
  );
}

const Lines = ({ lines, mark }: { lines: readonly string[]; mark: " " | "-" | "+" }) => (
  <>
    {lines.slice(0, MOST_LINES).map((line, at) => (
      <div key={at} class={`ln ${mark === "+" ? "a" : mark === "-" ? "d" : ""}`}>
        <i />
        <b>{mark}</b>
        <span>{line}</span>
      </div>
    ))}
    {lines.length > MOST_LINES && <div class="ln">{`… ${lines.length - MOST_LINES} lines more`}</div>}
  </>
);
