import type { StoredObservation } from "../store/observation-rows.ts";
import type { Facts } from "./facts.ts";

/** An observation in its session, with the event that it is about. */
export interface Kept extends StoredObservation {
  session_id: string;
  /** Null for an observation of the session alone, or one that only links spans. */
  facts: Facts | null;
  event_id: string | null;
}

/** An event before its place is known. */
export interface Draft {
  session_id: string;
  facts: Facts;
  kept: Kept[];
  /** It was found by its content, and is no other's part. */
  isMatched: boolean;
}
