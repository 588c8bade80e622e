import { EventTexts, type EventTextsQuery } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";

/** The arguments and the result of an event. */
export type Texts = EventTextsQuery["recordedSession"]["events"]["nodes"][number];

/** Events whose texts are read together. */
const BATCH = 50;

/** Reads the texts of events, some at a time. */
export async function readTexts(
  sessionId: string,
  ids: readonly string[],
  maxLength: number,
): Promise<Map<string, Texts>> {
  const found = new Map<string, Texts>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const { recordedSession } = await request(EventTexts, { sessionId, ids: ids.slice(at, at + BATCH), maxLength });
    for (const node of recordedSession.events.nodes) found.set(node.id, node);
  }
  return found;
}
