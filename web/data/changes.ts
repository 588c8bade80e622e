import { useEffect } from "preact/hooks";
import { CHANGE_LOG_EVENT, REALTIME_CONNECTED_EVENT, subscribeToRealtimeEvent } from "./realtime.ts";

/** Fields of a change log entry that pages read. */
export interface ChangeLogEntry {
  type: string;
  action: string;
  data: Record<string, unknown>;
}

/** Time in ms for which changes are collected, so that a burst of changes causes only one read. */
const TOGETHER_MS = 250;

/** Calls `reload` after a change that concerns the page, and after the connection was interrupted. */
export function useReloadOnChange(
  concerns: (change: ChangeLogEntry) => boolean,
  reload: () => void,
  key: string,
): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, TOGETHER_MS);
    };
    const stops = [
      subscribeToRealtimeEvent<ChangeLogEntry>(CHANGE_LOG_EVENT, (change) => concerns(change) && soon()),
      subscribeToRealtimeEvent(REALTIME_CONNECTED_EVENT, soon),
    ];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [key]);
}
