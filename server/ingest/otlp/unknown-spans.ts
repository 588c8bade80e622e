import type { Database } from "../../../db/open.ts";
import { getScanner } from "../../accounts/switches.ts";
import type { Observation } from "../../agents/observation.ts";
import type { IngestCredential } from "../commit/sink.ts";
import { cleanText } from "../rules/tidy.ts";

/** Number of spans of an unrecognized service that are kept per hour. */
const KEPT = 20;
/** Maximum number of unrecognized services that are counted for an organization. */
const MOST = 1_000;
/**
 * Number of newest sessions that are searched for a turn or tool call of a service. A service with such a session
 * counts as recognized.
 */
const NEWEST = 200;
const NAME_CHARS = 256;

/**
 * Handles spans of services for which the export contains no recognized span. If recent sessions show that a service is
 * recognized, its spans are left to the fold. For other services, at most MOST per organization, all spans are counted:
 * the first spans of each hour are kept as events, or all spans if the key's settings require it; the remaining spans
 * only link other spans. Returns one sentence per counted service.
 */
export async function countAndFilterUnknownSpans(
  parts: { db: Database; secret: Uint8Array },
  { organizationId, hash }: IngestCredential,
  unknown: ReadonlyMap<string, readonly Observation[]>,
  scanned: (steps: number) => void,
): Promise<string[]> {
  if (unknown.size === 0) return [];
  const scan = (await getScanner(parts, organizationId)).patient();
  const entries = await scan.run((redactor) => {
    const shown = (text: string) => redactor.text(cleanText(text, { replaced: 0 })).slice(0, NAME_CHARS);
    const named = new Map([...unknown].map(([service, spans]) => [shown(service), spans]));
    return [...named].map(([name, spans]) => ({ name, spans, example: shown(spans[0]?.name ?? "") }));
  });
  scanned(scan.steps());
  const services = new Map(entries.map(({ name, spans }) => [name, once(spans)]));
  const values = [
    organizationId,
    entries.map(({ name }) => name),
    entries.map(({ name }) => services.get(name)?.length ?? 0),
    entries.map(({ example }) => example),
  ];
  const { keep, rows } = await parts.db.transaction(async (trx) => {
    const [key] = await trx.query<{ keep: boolean }>({ text: KEEPS, values: [organizationId, hash], writes: [] });
    const rows = await trx.query<{ service: string; inHour: number }>({ text: COUNT, values });
    return { keep: key?.keep ?? false, rows };
  });
  return rows.map(({ service, inHour }) => {
    const spans = services.get(service) ?? [];
    const before = inHour - spans.length;
    spans.forEach((span, at) => {
      if (keep || before + at < KEPT) span.isShown = true;
      else unlearn(span);
    });
    return `${spans.length} spans of service ${service} told nothing but their names`;
  });
}

const KEEPS = `select "keepUnknownSpans" as keep from "ingestKey" where "organizationId" = $1 and hash = $2`;

/**
 * Raw SQL; docs/database.md explains why. Adds the span counts of several services in one statement. Skips recognized
 * services.
 */
const COUNT = `with n as materialized (select * from unnest($2::text[], $3::integer[], $4::text[]) n (service, spans, example)
    where service not in (select source from (select source, turns, tool_calls from recorded_session
      where organization_id = $1 order by timestamp desc limit ${NEWEST}) s where source is not null and turns + tool_calls > 0))
  insert into recorded_service as r (organization_id, service, example, spans, hour, hour_spans, first_seen_at, last_seen_at)
  select $1, service, example, spans, date_trunc('hour', now()), spans, now(), now() from n
    where service in (select service from recorded_service where organization_id = $1)
      or (select count(*) from recorded_service where organization_id = $1) < ${MOST}
    order by service
  on conflict (organization_id, service) do update set example = excluded.example, spans = r.spans + excluded.spans,
    hour = excluded.hour, last_seen_at = excluded.last_seen_at,
    hour_spans = excluded.hour_spans + case when r.hour = excluded.hour then r.hour_spans else 0 end
  returning service, hour_spans::integer as "inHour"`;

/** Returns each span once. Repeats of a span are reduced to links. */
function once(spans: readonly Observation[]): Observation[] {
  const first = new Map(spans.toReversed().map((span) => [`${span.trace} ${span.span}`, span]));
  const kept = new Set(first.values());
  for (const span of spans) if (!kept.has(span)) unlearn(span);
  return spans.filter((span) => kept.has(span));
}

/** Reduces a span to a link between its parent and its children. */
function unlearn(span: Observation): void {
  for (const member of ["kind", "isUnknown", "name", "startedAt", "endedAt", "success", "error", "metadata"] as const)
    delete span[member];
}
