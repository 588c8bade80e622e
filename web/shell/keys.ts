import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { getOwnProperty } from "../../formats/own.ts";
import { openNewIssue } from "./new-issue-state.ts";
import { navigate } from "./router.ts";

/** Actions for keys. A name is one key, or two keys pressed one after the other, such as `g s`. */
export type KeyboardShortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const STORED = "trackway-single-keys";
/**
 * True if keyboard shortcuts with character keys, such as `c` or `g s`, are enabled. Users who dictate, or who press
 * keys by accident, can disable these shortcuts.
 */
export const areSingleKeyShortcutsEnabled = signal(localStorage.getItem(STORED) !== "off");

/** Enables or disables single keys, and stores the setting. */
export function setSingleKeyShortcutsEnabled(on: boolean): void {
  areSingleKeyShortcutsEnabled.value = on;
  localStorage.setItem(STORED, on ? "on" : "off");
}

const layers: { current: KeyboardShortcuts }[] = [];
let prefix = "";
let prefixUntil = 0;

/**
 * Registers actions for keys while a component is mounted. If several components register the same key, the component
 * that registered last handles the key.
 */
export function useKeyboardShortcuts(keys: KeyboardShortcuts): void {
  const layer = useRef(keys);
  layer.current = keys;
  // Registers the keys before the first paint. Otherwise an early key press would be lost.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}

const everywhere: KeyboardShortcuts = {
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
export const startKeyboardShortcuts = (): void => document.addEventListener("keydown", onKey);

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const { key } = event;
  if (!areSingleKeyShortcutsEnabled.peek() && key.length === 1) return;
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
    const act = getOwnProperty(layers[at]?.current, name);
    if (act) return act;
  }
  return getOwnProperty(everywhere, name);
}

/**
 * Returns true if the focused control handles the key: Enter and Space on a button, Enter on a link, Space on a
 * checkbox.
 */
const isControl = (target: EventTarget | null, key: string): boolean =>
  target instanceof Element && target.closest(key === " " ? "button, summary, input" : "a, button, summary") !== null;

/**
 * Returns true if the user types in a text field, which needs every key. Returns false for a checkbox, because a
 * checkbox needs only Space.
 */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
