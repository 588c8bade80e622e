import { useState } from "preact/hooks";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { PreviousNext } from "../../parts/lists/previous-next.tsx";
import { toast } from "../../parts/toast.tsx";
import { keptBefore, keptHere } from "../../shell/kept.ts";
import { navigate } from "../../shell/router.ts";
import { readSessions } from "../sessions/reads.ts";
import type { Sort } from "../sessions/sort.ts";
import { type SessionList, type SessionRow, TRAIL } from "../sessions/store.ts";
import { addressOf, type Reading } from "./readings.ts";

/** The list that somebody came from, in the memory of its entry of the history. */
interface Trail {
  memory: Map<string, unknown>;
  /** The name of the list in there: its filter and its sort. */
  key: string;
}

/** Sessions that are read on where the list ended. */
const FURTHER = 60;

/** The list that led here, also by way of another reading of the session. */
function trailHere(): Trail | undefined {
  const [here, before] = [keptHere(), keptBefore()];
  const key = before.get(TRAIL);
  const trail = here.get(NAME) ?? before.get(NAME) ?? (typeof key === "string" ? { memory: before, key } : undefined);
  here.set(NAME, trail);
  return trail as Trail | undefined;
}

const NAME = "trail of a session";
const listOf = ({ memory, key }: Trail) => memory.get(key) as SessionList;

/** The previous and the next session of the list that somebody came from, in its filter and order. */
export function Neighbours({ id, reading }: { id: string; reading: Reading }) {
  const [busy, setBusy] = useState(false);
  const trail = trailHere();
  const list = trail && listOf(trail);
  const at = list?.rows.findIndex((row) => row.id === id) ?? -1;
  const go = async (by: 1 | -1) => {
    if (!trail || !list || at < 0 || busy) return;
    setBusy(true);
    const row = await rowAt(trail, at + by).catch((error: Error) => void toast(error.message));
    setBusy(false);
    if (!row) return;
    trail.memory.set("chosen session", row.id);
    navigate(addressOf(row.id, reading), { replace: true });
  };
  if (!list || at < 0) return null;
  const { rows, hasMore } = list;
  const total = `${rows.length}${hasMore ? "+" : ""}`;
  const isLast = at === rows.length - 1 && !hasMore;
  return <PreviousNext of="session" {...{ at, total, isLast }} keys={KEYS} go={(by) => void go(by)} />;
}

const KEYS = ["[", "]"] as const;

/** A row of the list, which is read on where it ended. */
async function rowAt(trail: Trail, index: number): Promise<SessionRow | undefined> {
  const list = listOf(trail);
  if (index < list.rows.length || !list.hasMore) return list.rows[index];
  const [filter, sort] = JSON.parse(trail.key) as [RecordedSessionFilter, Sort];
  const { nodes, pageInfo } = await readSessions(filter, sort, { first: FURTHER, after: list.cursor });
  const known = new Set(list.rows.map(({ id }) => id));
  const rows = [...list.rows, ...nodes.filter(({ id }) => !known.has(id))];
  trail.memory.set(trail.key, { ...list, rows, hasMore: pageInfo.hasNextPage, cursor: pageInfo.endCursor });
  return rows[index];
}
