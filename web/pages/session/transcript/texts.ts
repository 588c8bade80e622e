import { useEffect, useState } from "preact/hooks";
import { EventTexts, type EventTextsQuery } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";

/** Arguments and result of an event. */
export type EventContent = EventTextsQuery["recordedSession"]["events"]["nodes"][number];

/** Number of events per request for content. */
const BATCH = 50;
/** Maximum number of characters of a message, and of a call's output. */
const MESSAGE = 20_000;

/** Reads the content of events in batches. */
export async function readEventContent(
  sessionId: string,
  ids: readonly string[],
  maxLength: number,
): Promise<Map<string, EventContent>> {
  const found = new Map<string, EventContent>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const { recordedSession } = await requestGraphQL(EventTexts, {
      sessionId,
      ids: ids.slice(at, at + BATCH),
      maxLength,
    });
    for (const node of recordedSession.events.nodes) found.set(node.id, node);
  }
  return found;
}

/**
 * Reads the content of an event as soon as `wanted` is true. The calling component must use the event's id as its key,
 * because the hook reads content only once and does not notice another id.
 */
export function useEventContent(sessionId: string, id: string, wanted = true): EventContent | undefined {
  const [texts, setTexts] = useState<EventContent>();
  useEffect(() => {
    if (!wanted || texts) return;
    readEventContent(sessionId, [id], MESSAGE).then(
      (found) => setTexts(found.get(id)),
      () => {},
    );
  }, [wanted]);
  return texts;
}
