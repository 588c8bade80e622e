import type { RefObject } from "preact";
import { useLayoutEffect, useReducer } from "preact/hooks";
import { isPhoneScreen } from "../parts/lists/phone.ts";
import { appLocation } from "./router.ts";

/** Maximum number of history entries whose state is stored. */
const MOST = 50;
/** Milliseconds in which the scroll position is restored. The content may have to load first. */
const AWAITED_MS = 2_000;

const memories = new Map<string, Map<string, unknown>>();

/** Deletes the stored state of all history entries, after a change of the organization or a sign-out. */
export const clearHistoryState = (): void => memories.clear();

function readEntryState(entry: string): Map<string, unknown> {
  const memory = memories.get(entry) ?? new Map();
  memories.set(entry, memory);
  for (const oldest of memories.keys()) {
    if (memories.size <= MOST) break;
    memories.delete(oldest);
  }
  return memory;
}

/** Returns the stored state of the current history entry. */
export const readHistoryState = (): Map<string, unknown> => readEntryState(appLocation.value.entry);

/** Returns the stored state of the history entry from which the user came. */
export const readPreviousHistoryState = (): Map<string, unknown> => readEntryState(String(history.state?.from));

/** Stores a state with the history entry. A user who returns to the entry finds the same state. */
export function useHistoryState<T>(name: string, initial: T): [T, (value: T) => void] {
  const memory = readHistoryState();
  const [, render] = useReducer((n: number) => n + 1, 0);
  const set = (value: T) => {
    memory.set(name, value);
    render(undefined);
  };
  return [memory.has(name) ? (memory.get(name) as T) : initial, set];
}

/** Stores the scroll position of a page, and restores the position when the user returns. */
export function useScrollRestoration(main: RefObject<HTMLElement | null>): void {
  const { entry } = appLocation.value;
  useLayoutEffect(() => {
    const memory = readEntryState(entry);
    const boxOf = () =>
      isPhoneScreen.peek()
        ? document.documentElement
        : (main.current?.querySelector(".scroll, .tree, .flow, .issue .body") ?? main.current);
    const save = () => memory.set("scroll", boxOf()?.scrollTop ?? 0);
    const wanted = Number(memory.get("scroll") ?? 0);
    const until = performance.now() + AWAITED_MS;
    let frame = 0;
    const restore = () => {
      const box = boxOf();
      if (wanted === 0 || !box || performance.now() > until) return;
      if (box.scrollHeight - box.clientHeight >= wanted - 1) box.scrollTop = wanted;
      else frame = requestAnimationFrame(restore);
    };
    restore();
    const stop = () => cancelAnimationFrame(frame);
    const moves = ["wheel", "touchmove", "keydown"] as const;
    for (const move of moves) addEventListener(move, stop, { passive: true });
    addEventListener("scroll", save, { capture: true, passive: true });
    return () => {
      stop();
      for (const move of moves) removeEventListener(move, stop);
      removeEventListener("scroll", save, { capture: true });
    };
  }, [entry]);
}
