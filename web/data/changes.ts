import { useEffect } from "preact/hooks";
import { CHANGED, listen, RESUMED } from "./realtime.ts";

/** The part of a change log entry that pages read. */
export interface Change {
  type: string;
  action: string;
  data: Record<string, unknown>;
}

/** Changes that come close together are read at once. */
const TOGETHER_MS = 250;

/** Reads again when something changed that concerns the page, or when the connection was away. */
export function useChanges(concerns: (change: Change) => boolean, reload: () => void, key: string): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, TOGETHER_MS);
    };
    const stops = [listen<Change>(CHANGED, (change) => concerns(change) && soon()), listen(RESUMED, soon)];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [key]);
}
