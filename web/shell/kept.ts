import type { RefObject } from "preact";
import { useLayoutEffect, useReducer } from "preact/hooks";
import { phone } from "../parts/lists/phone.ts";
import { place } from "./router.ts";

/** Entries of the history whose state is kept. */
const MOST = 50;
/** The place is looked for so long: what stands there may have to be read first. */
const AWAITED_MS = 2_000;

const memories = new Map<string, Map<string, unknown>>();

/** Forgets the state of all entries: another organization was entered, or nobody is signed in. */
export const forgetKept = (): void => memories.clear();

function memoryOf(entry: string): Map<string, unknown> {
  const memory = memories.get(entry) ?? new Map();
  memories.set(entry, memory);
  for (const oldest of memories.keys()) {
    if (memories.size <= MOST) break;
    memories.delete(oldest);
  }
  return memory;
}

/** State kept for the history entry that is shown. */
export const keptHere = (): Map<string, unknown> => memoryOf(place.value.entry);

/** State kept for the history entry that led here. */
export const keptBefore = (): Map<string, unknown> => memoryOf(String(history.state?.from));

/** A state that belongs to an entry of the history: who comes back to it finds it as it was. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const memory = keptHere();
  const [, render] = useReducer((n: number) => n + 1, 0);
  const set = (value: T) => {
    memory.set(name, value);
    render(undefined);
  };
  return [memory.has(name) ? (memory.get(name) as T) : initial, set];
}

/** Keeps how far a page was scrolled, and scrolls there again for whoever comes back. */
export function useKeptScroll(main: RefObject<HTMLElement | null>): void {
  const { entry } = place.value;
  useLayoutEffect(() => {
    const memory = memoryOf(entry);
    const boxOf = () =>
      phone.peek()
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
