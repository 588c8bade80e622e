import { signal } from "@preact/signals";

/** True while the command palette is open. */
export const isPaletteOpen = signal(false);

/** Opens the command palette. */
export const openPalette = (): void => {
  isPaletteOpen.value = true;
};

/** Adds the listener for the palette's key, which works in text fields too. */
export function startPaletteShortcut(): void {
  document.addEventListener("keydown", (event) => {
    if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    openPalette();
  });
}
