import type { ClientBase } from "pg";
import type { Batch } from "../batch.ts";
import type { Known, Settled } from "../merge/settle.ts";
import type { Spans } from "../merge/spans.ts";
import { lateSessions, unreadFrom } from "../merge/unread.ts";
import type { Observation } from "../observation.ts";
import { type Copy, copyAll } from "../store/copy-rows.ts";
import { copyEvents, removeEvents, type SettledEvent, writeEvents } from "../store/event-rows.ts";
import { writeOpen } from "../store/open-rows.ts";
import type { Packet } from "../store/packet.ts";
import { showReplies } from "../store/replies.ts";
import type { NamedSession } from "../store/session-rows.ts";
import { writeSessions } from "../store/session-updates.ts";
import { copySpans, type SpanRow, writeSpans } from "../store/span-rows.ts";
import type { Sender } from "../store/user-rows.ts";
import { noTotals } from "../totals.ts";

/** Copies rows that are new, where they are many. Answers those that are still to be written. */
export async function copyNew(
  client: ClientBase,
  organizationId: string,
  { settled, spans }: { settled: Settled; spans: Spans },
): Promise<Pick<Outcome, "events" | "spans">> {
  const copies: Copy[] = [];
  const events = copyEvents(copies, organizationId, settled.events);
  const rest = { events, spans: copySpans(copies, organizationId, [...spans.changed]) };
  await copyAll(client, copies);
  return rest;
}

/** The result of a batch, and its rows that are not copied. */
interface Outcome {
  known: readonly Known[];
  settled: Settled;
  sessions: readonly NamedSession[];
  events: readonly SettledEvent[];
  spans: readonly SpanRow[];
}

/** Writes what a batch comes to. */
export function write(packet: Packet, owner: Sender, batch: Batch, outcome: Outcome): void {
  const { organizationId } = owner;
  const { known, settled, sessions, events, spans } = outcome;
  removeEvents(packet, organizationId, [...batch.gone.keys()]);
  writeEvents(packet, organizationId, events);
  showReplies(packet, organizationId, settled.events);
  writeOpen(packet, organizationId, known, { events: settled.events, gone: batch.gone });
  const bySession = new Map<string, Observation[]>(sessions.map(({ session_id }) => [session_id, []]));
  for (const { session_id, observation } of batch.kept) bySession.get(session_id)?.push(observation);
  const unread = unreadFrom(settled.events, known);
  const late = lateSessions(settled.events, owner.now);
  const news = sessions.map((named) => ({
    named,
    progress: settled.progress.get(named.session_id) ?? {},
    totals: settled.totals.get(named.session_id) ?? noTotals(),
    unread: unread.get(named.session_id),
    late: late.has(named.session_id),
    observations: bySession.get(named.session_id) ?? [],
  }));
  writeSessions(packet, owner, batch.sessions, news);
  writeSpans(packet, organizationId, spans);
}
