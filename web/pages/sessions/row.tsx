import { Cost } from "../../parts/cost.tsx";
import { Avatar, Course, Failures, State } from "../../parts/marks.tsx";
import { clip, count, duration } from "../../parts/texts/format.ts";
import { Ago, now, ticking } from "../../parts/time/time.tsx";
import type { SessionRow } from "./store.ts";

/** A session that got something in this time counts as running. */
const ACTIVE_MS = 60_000;

/** The parts of a row that decide its state. */
interface Going {
  startedAt: string;
  brief: Pick<SessionRow["brief"], "endedAt" | "open" | "lastFailed">;
}

/** The end of a session, as far as its events show; what is open goes on until now. */
export function endOf({ startedAt, brief }: Going): number {
  const end = Date.parse(brief.endedAt ?? startedAt);
  return brief.open ? Math.max(end, ticking.value) : end;
}

/** The duration of a session, also of one that goes on. */
export const tookOf = (row: Going): number => Math.max(0, endOf(row) - Date.parse(row.startedAt));

/** True if a session seems to go on. */
export const isActive = (row: Going): boolean => row.brief.open || now.value - endOf(row) < ACTIVE_MS;

/** A session's status: the mark and its name. */
export function stateOf(row: Going): { state: "run" | "ok" | "fail"; label: string } {
  if (isActive(row)) return { state: "run", label: "Running" };
  return row.brief.lastFailed ? { state: "fail", label: "Failed" } : { state: "ok", label: "Ended" };
}

/** The title of a session: what it was asked first. Ids of one minute begin alike, and end otherwise. */
export const titleOf = ({ id, brief }: { id: string; brief: Pick<SessionRow["brief"], "message"> }): string =>
  clip(
    textOf(brief.message ?? "")
      .replace(/\s+/g, " ")
      .trim(),
    200,
  ) || `Session ${id.slice(-8)}`;

/** A message that was sent as JSON is shown as its text. */
export function textOf(message: string): string {
  if (!/^[[{"]/.test(message)) return message;
  const found = /"(?:prompt|text|content|message|input)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(message);
  return found?.[1] ? found[1].replace(/\\n/g, " ").replace(/\\(.)/g, "$1") : message;
}

interface RowProps {
  row: SessionRow;
  index: number;
  /** Px from the first row. */
  top: number;
  selected: boolean;
  /** True if the row is where Tab enters the list. */
  entry: boolean;
}

/** One session of the list. */
export function Row({ row, index, top, selected, entry }: RowProps) {
  const { totals, brief, user, clientConfig } = row;
  const tokens = totals.inputTokens + totals.outputTokens;
  const standing = stateOf(row);
  const active = standing.state === "run";
  const title = titleOf(row);
  return (
    <tr role="row" aria-selected={selected} aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
      <td role="cell" class="c-st">
        <State {...standing} />
      </td>
      <td role="cell" class="c-title cut">
        <a href={`/sessions/${row.id}`} title={title} tabIndex={entry ? 0 : -1} data-row={index} dir="auto">
          {title}
        </a>
      </td>
      <td role="cell" class="c-track">
        <Course course={brief.course} live={active} failures={totals.failures} />
      </td>
      <td role="cell" class="c-agent cut">
        <bdi>{row.source ?? brief.agent ?? "–"}</bdi> <bdi class="dim">{totals.models[0] ?? clientConfig ?? ""}</bdi>
      </td>
      <td role="cell" class="c-user cut">
        {user && <Avatar name={user.id} />}
        {user && <bdi>{user.id}</bdi>}
      </td>
      <td role="cell" class="num c-fail">
        <Failures count={totals.failures} />
      </td>
      <td role="cell" class="num c-ev">
        {count(totals.events)}
      </td>
      <td role="cell" class="num c-dur mid">
        {duration(tookOf(row))}
      </td>
      <td role="cell" class="num c-tok mid">
        {tokens > 0 ? count(tokens) : "–"}
      </td>
      <td role="cell" class="num c-cost">
        {(totals.cost ?? 0) > 0 ? <Cost {...totals} /> : "–"}
      </td>
      <td role="cell" class="num c-when dim">
        {active ? <span class="c-run">now</span> : <Ago at={row.startedAt} />}
      </td>
    </tr>
  );
}
