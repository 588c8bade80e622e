import { CostText } from "../../parts/cost.tsx";
import { ActivityChart, Avatar, FailureCount, StatusIcon } from "../../parts/marks.tsx";
import { formatCount, formatDuration, truncate } from "../../parts/texts/format.ts";
import { Age, currentTime, tickingTime } from "../../parts/time/time.tsx";
import type { SessionRow } from "./store.ts";

/** Milliseconds after the last event during which a session still counts as running. */
const ACTIVE_MS = 60_000;

/** Fields of a row that determine the state. */
interface SessionActivity {
  startedAt: string;
  brief: Pick<SessionRow["brief"], "endedAt" | "open" | "lastFailed">;
}

/** Returns the end of a session, in milliseconds since 1970. A session with an open event lasts until now. */
export function computeSessionEnd({ startedAt, brief }: SessionActivity): number {
  const end = Date.parse(brief.endedAt ?? startedAt);
  return brief.open ? Math.max(end, tickingTime.value) : end;
}

/** Returns the duration of a session in milliseconds, also of a running session. */
export const computeSessionDuration = (row: SessionActivity): number =>
  Math.max(0, computeSessionEnd(row) - Date.parse(row.startedAt));

/** Returns true if a session is probably running. */
export const isSessionRunning = (row: SessionActivity): boolean =>
  row.brief.open || currentTime.value - computeSessionEnd(row) < ACTIVE_MS;

/** Returns the icon and the label of a session's state. */
export function formatSessionState(row: SessionActivity): { state: "run" | "ok" | "fail"; label: string } {
  if (isSessionRunning(row)) return { state: "run", label: "Running" };
  return row.brief.lastFailed ? { state: "fail", label: "Failed" } : { state: "ok", label: "Ended" };
}

/**
 * Returns the title of a session: the first prompt, or the end of the id. The beginning of the id would not distinguish
 * sessions, because ids from the same minute begin alike.
 */
export const formatSessionTitle = ({
  id,
  brief,
}: {
  id: string;
  brief: Pick<SessionRow["brief"], "message">;
}): string =>
  truncate(
    extractMessageText(brief.message ?? "")
      .replace(/\s+/g, " ")
      .trim(),
    200,
  ) || `Session ${id.slice(-8)}`;

/** Returns the text of a message that was sent as JSON. Returns any other message unchanged. */
export function extractMessageText(message: string): string {
  if (!/^[[{"]/.test(message)) return message;
  const found = /"(?:prompt|text|content|message|input)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(message);
  return found?.[1] ? found[1].replace(/\\n/g, " ").replace(/\\(.)/g, "$1") : message;
}

interface RowProps {
  row: SessionRow;
  index: number;
  /** Distance from the first row in pixels. */
  top: number;
  selected: boolean;
  /** True for the row that Tab focuses when the user enters the list. */
  entry: boolean;
}

export function SessionTableRow({ row, index, top, selected, entry }: RowProps) {
  const { totals, brief, user, clientConfig } = row;
  const tokens = totals.inputTokens + totals.outputTokens;
  const standing = formatSessionState(row);
  const active = standing.state === "run";
  const title = formatSessionTitle(row);
  return (
    <tr role="row" aria-selected={selected} aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
      <td role="cell" class="c-st">
        <StatusIcon {...standing} />
      </td>
      <td role="cell" class="c-title cut">
        <a href={`/sessions/${row.id}`} title={title} tabIndex={entry ? 0 : -1} data-row={index} dir="auto">
          {title}
        </a>
      </td>
      <td role="cell" class="c-track">
        <ActivityChart course={brief.course} live={active} failures={totals.failures} />
      </td>
      <td role="cell" class="c-agent cut">
        <bdi>{row.source ?? brief.agent ?? "–"}</bdi> <bdi class="dim">{totals.models[0] ?? clientConfig ?? ""}</bdi>
      </td>
      <td role="cell" class="c-user cut">
        {user && <Avatar name={user.id} />}
        {user && <bdi>{user.id}</bdi>}
      </td>
      <td role="cell" class="num c-fail">
        <FailureCount count={totals.failures} />
      </td>
      <td role="cell" class="num c-ev">
        {formatCount(totals.events)}
      </td>
      <td role="cell" class="num c-dur mid">
        {formatDuration(computeSessionDuration(row))}
      </td>
      <td role="cell" class="num c-tok mid">
        {tokens > 0 ? formatCount(tokens) : "–"}
      </td>
      <td role="cell" class="num c-cost">
        {(totals.cost ?? 0) > 0 ? <CostText {...totals} /> : "–"}
      </td>
      <td role="cell" class="num c-when dim">
        {active ? <span class="c-run">now</span> : <Age at={row.startedAt} />}
      </td>
    </tr>
  );
}
