import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { readOwn } from "../../formats/own.ts";
import { openNewIssue } from "./new-issue-state.ts";
import { navigate } from "./router.ts";

/** Actions by name of the key, or by two keys pressed one after the other, such as `g s`. */
export type KeyActions = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const STORED = "trackway-single-keys";
/** True if single keys are enabled. Users who dictate, or who type by accident, can disable single keys. */
export const areSingleKeysEnabled = signal(localStorage.getItem(STORED) !== "off");

/** Enables or disables single keys, and stores the setting. */
export function setSingleKeys(on: boolean): void {
  areSingleKeysEnabled.value = on;
  localStorage.setItem(STORED, on ? "on" : "off");
}

const layers: { current: KeyActions }[] = [];
let prefix = "";
let prefixUntil = 0;

/** Registers actions of keys while a component is mounted. The component that registered last has precedence. */
export function useKeys(keys: KeyActions): void {
  const layer = useRef(keys);
  layer.current = keys;
  // Registers the keys before the first paint. Otherwise an early key press would be lost.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}

const everywhere: KeyActions = {
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

/** Adds the listener for key presses. */
export const startKeys = (): void => document.addEventListener("keydown", onKey);

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const { key } = event;
  if (!areSingleKeysEnabled.peek() && key.length === 1) return;
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

/**
 * Returns true if the focused control handles the key: Enter and Space on a button, Enter on a link, Space on a
 * checkbox.
 */
const isControl = (target: EventTarget | null, key: string): boolean =>
  target instanceof Element && target.closest(key === " " ? "button, summary, input" : "a, button, summary") !== null;

/** Returns true if the user types in a text field, which needs every key. A checkbox needs only Space. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
