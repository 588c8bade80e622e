import { createHash } from "node:crypto";
import type { Facts } from "./facts.ts";
import { callIdOf, turnIdOf } from "./ids.ts";

/**
 * The id of an event: by the agent's own id; a turn that is told of under a trace alone is the turn that the trace
 * belongs to; else by its span, or by what is told of it.
 */
export function eventIdOf(sessionId: string, facts: Facts, traceTurn: string | null): string {
  const { kind, id, span } = facts;
  if (id !== undefined) return kind === "turn" ? turnIdOf(sessionId, id) : callIdOf(sessionId, id);
  if (kind === "turn" && traceTurn !== null) return traceTurn;
  return callIdOf(sessionId, span ?? contentOf(facts));
}

function contentOf({ kind, name, genericName, startedAt, endedAt, turn, trace, parentSpan, args }: Facts): string {
  const told = [kind, name ?? genericName, startedAt, endedAt, turn, trace, parentSpan];
  const content = startedAt === undefined && endedAt === undefined ? [...told, args?.text] : told;
  return createHash("sha1").update(JSON.stringify(content)).digest("hex");
}
