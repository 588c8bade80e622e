import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { readOwn } from "../../formats/own.ts";
import { openNewIssue } from "./new-issue-state.ts";
import { navigate } from "./router.ts";

/** Actions by the key's name, or by two keys one after the other, such as `g s`. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const STORED = "trackway-single-keys";
/** True if single keys count: people who dictate, or type by accident, switch them off. */
export const singleKeys = signal(localStorage.getItem(STORED) !== "off");

/** Switches single keys on or off, and remembers it. */
export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(STORED, on ? "on" : "off");
}

const layers: { current: Keys }[] = [];
let prefix = "";
let prefixUntil = 0;

/** Has keys do something while a part of the page is shown. The last part that was added goes first. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  // At once with what is shown: a key that is pressed before the page is painted would be lost.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}

const everywhere: Keys = {
  "g n": () => navigate("/inbox"),
  "g s": () => navigate("/sessions"),
  "g f": () => navigate("/failures"),
  "g p": () => navigate("/usage"),
  "g t": () => navigate("/tools"),
  "g u": () => navigate("/users"),
  "g i": () => navigate("/issues"),
  "g c": () => navigate("/connect"),
  c: () => openNewIssue(),
};

/** Begins to listen. */
export const startKeys = (): void => document.addEventListener("keydown", onKey);

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const { key } = event;
  if (!singleKeys.peek() && key.length === 1) return;
  if ((key === "Enter" || key === " ") && isControl(event.target, key)) return;
  const pair = performance.now() < prefixUntil ? `${prefix} ${key}` : "";
  prefix = key;
  prefixUntil = key === "g" ? performance.now() + 1_000 : 0;
  const act = find(pair) ?? find(key);
  if (!act) return;
  event.preventDefault();
  act(event);
}

function find(name: string): ((event: KeyboardEvent) => void) | undefined {
  for (let at = layers.length - 1; at >= 0; at -= 1) {
    const act = readOwn(layers[at]?.current, name);
    if (act) return act;
  }
  return readOwn(everywhere, name);
}

/** Enter and Space belong to the button or the box that has the focus, and Enter to a link, which Space does nothing with. */
const isControl = (target: EventTarget | null, key: string): boolean =>
  target instanceof Element && target.closest(key === " " ? "button, summary, input" : "a, button, summary") !== null;

/** Fields keep every key; a box that is ticked needs none of them but Space. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
