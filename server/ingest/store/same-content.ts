import type { ClientBase } from "pg";
import type { Redactor } from "../../../redaction/index.ts";
import { type RequestScan, SCAN_TAKES_LONG_ERROR } from "../../scans/index.ts";
import {
  type EncodedEvent,
  EVENT_COLUMN_NAMES_SQL,
  EVENT_COLUMNS,
  tuplesToColumnArrays,
  unnestColumnsSql,
} from "../tuple/index.ts";
import type { RowToStore } from "./load.ts";

const textsOf = (alias: string) =>
  `json_build_array(${["primitive_name", "primitive_type", "args", "result", "metadata::jsonb::text"]
    .map((name) => `${alias}.${name}`)
    .join(", ")})`;
const FIXED = ["session_id", "parent_id", "latency", "timestamp_sent", "success"];
const fixed = (alias: string) =>
  [
    ...FIXED.map((name) => `${alias}.${name}`),
    `case when ${alias}.timestamp_sent then ${alias}.timestamp end`,
    `${alias}.metadata is null`,
  ].join(", ");
const isMarked = (alias: string) =>
  `strpos(concat(${["primitive_name", "args", "result", "metadata"].map((name) => `${alias}.${name}`).join()}), '[redacted:') > 0`;

/**
 * Raw SQL: rows are passed as one list per column. Selects the texts of each sent event and of the stored event with
 * the same id. The other fields of the two events must be equal, and at least one event must contain redacted text.
 */
const TEXTS = `select sent.place::integer as place, ${textsOf("sent")} as sent, ${textsOf("known")} as known
  from ${unnestColumnsSql(EVENT_COLUMNS)} with ordinality sent (${EVENT_COLUMN_NAMES_SQL}, place)
  join recorded_event known on known.organization_id = sent.organization_id and known.event_id = sent.event_id
  where (${fixed("sent")}) is not distinct from (${fixed("known")}) and (${isMarked("sent")} or ${isMarked("known")})`;

/** Number of events that are compared at once. The number is small because one event may have several MiB. */
const AT_ONCE = 4;

interface Texts {
  place: number;
  sent: (string | null)[];
  known: (string | null)[];
}

/**
 * Returns the events that equal the stored events except for redacted text. The redaction rules may have changed
 * since, and a mark cannot distinguish two secrets. Any text in the place of a mark therefore counts as equal.
 */
export async function findEventsEqualUnlessRedacted(
  client: ClientBase,
  events: readonly RowToStore<EncodedEvent>[],
): Promise<RowToStore<EncodedEvent>[]> {
  const same: RowToStore<EncodedEvent>[] = [];
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const some = events.slice(from, from + AT_ONCE);
    const { rows } = await client.query<Texts>({
      name: "ingest-texts",
      text: TEXTS,
      values: tuplesToColumnArrays(some),
    });
    for (const { place, sent, known } of rows) {
      const event = some[place - 1];
      const isMetadata = (index: number) => index === sent.length - 1;
      const scan = event?.scanner.quick();
      const is = (text: string | null, index: number) =>
        scan !== undefined && isSameQuickly(scan, [text ?? "", known[index] ?? ""], isMetadata(index));
      if (event && sent.every(is)) same.push(event);
    }
  }
  return same;
}

/**
 * Compares two texts. Texts that take long to compare count as different, because the commit holds a connection that
 * other commits wait for.
 */
function isSameQuickly(scan: RequestScan, texts: [string, string], isMetadata: boolean): boolean {
  try {
    return isSame(scan.redactor, texts, isMetadata);
  } catch (error) {
    if (error !== SCAN_TAKES_LONG_ERROR) throw error;
    return false;
  }
}

/**
 * Compares the sent text with the stored text. The current rules find the secrets in both texts, and the comparison
 * ignores the secrets. Metadata is compared in both directions, because a changed list of header names may hide more
 * fields than before.
 */
function isSame(redactor: Redactor, [sent, known]: [string, string], isMetadata: boolean): boolean {
  if (sent === known) return true;
  const [one, other] = [redactor.blanked(sent), redactor.blanked(known)];
  return fits(other, one) || (isMetadata && fits(one, other));
}

/** Returns true if a text consists of the pieces of a pattern, in order, with any text between the pieces. */
function fits(pattern: readonly string[], pieces: readonly string[]): boolean {
  const text = pieces.join("\0");
  const [first = "", ...rest] = pattern;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
