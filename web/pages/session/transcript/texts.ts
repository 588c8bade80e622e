import { useEffect, useState } from "preact/hooks";
import { EventTexts, type EventTextsQuery } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";

/** The arguments and the result of an event. */
export type Texts = EventTextsQuery["recordedSession"]["events"]["nodes"][number];

/** Events whose texts are read together. */
const BATCH = 50;
/** Characters of a message, and of a call's output. */
const MESSAGE = 20_000;

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

/** The texts of an event, once they are wanted and read; the part that uses them has the event as its key. */
export function useTexts(sessionId: string, id: string, wanted = true): Texts | undefined {
  const [texts, setTexts] = useState<Texts>();
  useEffect(() => {
    if (!wanted || texts) return;
    readTexts(sessionId, [id], MESSAGE).then(
      (found) => setTexts(found.get(id)),
      () => {},
    );
  }, [wanted]);
  return texts;
}
