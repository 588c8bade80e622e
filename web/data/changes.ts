import { useEffect } from "preact/hooks";
import { CHANGED_EVENT, RESUMED_EVENT, subscribe } from "./realtime.ts";

/** Fields of a change log entry that pages read. */
export interface ChangeLogEntry {
  type: string;
  action: string;
  data: Record<string, unknown>;
}

/** Delay in which changes are collected before one read. */
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
      subscribe<ChangeLogEntry>(CHANGED_EVENT, (change) => concerns(change) && soon()),
      subscribe(RESUMED_EVENT, soon),
    ];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [key]);
}
