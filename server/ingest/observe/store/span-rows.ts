import type { ClientBase } from "pg";
import { MAX_SPANS } from "../../rules/bounds.ts";
import { arrays, column, nameList, text, unnestList, uuid } from "../../tuple/index.ts";
import { type Copy, copyOf, MANY } from "./copy-rows.ts";
import type { Packet } from "./packet.ts";

/** A span, or an event that is no span, in a trace. */
export interface SpanRow {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  /** The event it is. */
  event_id: string | null;
  /** The enclosing event, as it was found last. */
  above_id: string | null;
  /** It was not stored yet. */
  isNew?: boolean;
}

/** Raw SQL, as all of this: docs/database.md says why. The spans of traces, as many as a trace remembers. */
export async function readSpans(
  client: ClientBase,
  organizationId: string,
  traces: readonly string[],
): Promise<SpanRow[]> {
  if (traces.length === 0) return [];
  const { rows } = await client.query<SpanRow>({
    name: "observe-spans",
    text: `select s.* from unnest($2::text[]) t (id) cross join lateral (
        select trace_id, span_id, parent_span_id, event_id, above_id from recorded_span
        where organization_id = $1 and trace_id = t.id limit ${MAX_SPANS}) s`,
    values: [organizationId, traces],
  });
  return rows;
}

interface Owned {
  organization_id: string;
  span: SpanRow;
}

const COLUMNS = [
  column("organization_id", uuid, ({ organization_id }: Owned) => organization_id),
  column("trace_id", text, ({ span }: Owned) => span.trace_id),
  column("span_id", text, ({ span }: Owned) => span.span_id),
  column("parent_span_id", text, ({ span }: Owned) => span.parent_span_id),
  column("event_id", uuid, ({ span }: Owned) => span.event_id),
  column("above_id", uuid, ({ span }: Owned) => span.above_id),
] as const;
const NAMES = nameList(COLUMNS);

/** Has spans copied that were not read, if there are many: whoever writes spans holds their trace. Answers the others. */
export function copySpans(copies: Copy[], organizationId: string, changed: readonly SpanRow[]): readonly SpanRow[] {
  const fresh = changed.filter(({ isNew }) => isNew);
  if (fresh.length < MANY) return changed;
  copies.push(copyOf("recorded_span", COLUMNS, rowsOf(organizationId, fresh)));
  return changed.filter(({ isNew }) => !isNew);
}

/** Writes spans that have changed. */
export function writeSpans(packet: Packet, organizationId: string, changed: readonly SpanRow[]): void {
  if (changed.length === 0) return;
  packet.push({
    name: "observe-span-news",
    text: `insert into recorded_span (${NAMES}) select * from ${unnestList(COLUMNS)}
      on conflict (organization_id, trace_id, span_id) do update set
        parent_span_id = excluded.parent_span_id, event_id = excluded.event_id, above_id = excluded.above_id`,
    values: arrays(COLUMNS, rowsOf(organizationId, changed)),
  });
}

const rowsOf = (organization_id: string, spans: readonly SpanRow[]): Owned[] =>
  spans.map((span) => ({ organization_id, span }));
