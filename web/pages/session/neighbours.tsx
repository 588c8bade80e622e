import { useState } from "preact/hooks";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { PreviousNext } from "../../parts/lists/previous-next.tsx";
import { showToast } from "../../parts/toast.tsx";
import { readHistoryState, readPreviousHistoryState } from "../../shell/kept.ts";
import { navigate } from "../../shell/router.ts";
import { readSessions } from "../sessions/reads.ts";
import type { SessionSort } from "../sessions/sort.ts";
import { LIST_KEY_STATE_NAME, type SessionList, type SessionRow } from "../sessions/store.ts";
import { buildViewAddress, type SessionView } from "./readings.ts";

/** List of sessions from which the user opened the session. The stored state of a history entry contains the list. */
interface Trail {
  memory: Map<string, unknown>;
  /** Key of the list in the stored state: filter and order. */
  key: string;
}

/** Number of sessions that are read when the user steps past the end of the list. */
const FURTHER = 60;

/**
 * Returns the list from which the user opened the session. The list stays known when the user switches to another view
 * of the session.
 */
function trailHere(): Trail | undefined {
  const [here, before] = [readHistoryState(), readPreviousHistoryState()];
  const key = before.get(LIST_KEY_STATE_NAME);
  const trail = here.get(NAME) ?? before.get(NAME) ?? (typeof key === "string" ? { memory: before, key } : undefined);
  here.set(NAME, trail);
  return trail as Trail | undefined;
}

const NAME = "trail of a session";
const listOf = ({ memory, key }: Trail) => memory.get(key) as SessionList;

/** Links to the previous and the next session of the list from which the user came. */
export function AdjacentSessions({ id, reading }: { id: string; reading: SessionView }) {
  const [busy, setBusy] = useState(false);
  const trail = trailHere();
  const list = trail && listOf(trail);
  const at = list?.rows.findIndex((row) => row.id === id) ?? -1;
  const go = async (by: 1 | -1) => {
    if (!trail || !list || at < 0 || busy) return;
    setBusy(true);
    const row = await rowAt(trail, at + by).catch((error: Error) => void showToast(error.message));
    setBusy(false);
    if (!row) return;
    trail.memory.set("chosen session", row.id);
    navigate(buildViewAddress(row.id, reading), { replace: true });
  };
  if (!list || at < 0) return null;
  const { rows, hasMore } = list;
  const total = `${rows.length}${hasMore ? "+" : ""}`;
  const isLast = at === rows.length - 1 && !hasMore;
  return <PreviousNext of="session" {...{ at, total, isLast }} keys={KEYS} go={(by) => void go(by)} />;
}

const KEYS = ["[", "]"] as const;

/** Returns a row of the list. Reads the next page if the row is not loaded. */
async function rowAt(trail: Trail, index: number): Promise<SessionRow | undefined> {
  const list = listOf(trail);
  if (index < list.rows.length || !list.hasMore) return list.rows[index];
  const [filter, sort] = JSON.parse(trail.key) as [RecordedSessionFilter, SessionSort];
  const { nodes, pageInfo } = await readSessions(filter, sort, { first: FURTHER, after: list.cursor });
  const known = new Set(list.rows.map(({ id }) => id));
  const rows = [...list.rows, ...nodes.filter(({ id }) => !known.has(id))];
  trail.memory.set(trail.key, { ...list, rows, hasMore: pageInfo.hasNextPage, cursor: pageInfo.endCursor });
  return rows[index];
}
