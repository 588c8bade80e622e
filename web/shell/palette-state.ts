import { signal } from "@preact/signals";

/** True if the command palette is open. */
export const paletteOpen = signal(false);

/** Opens it. */
export const openPalette = (): void => {
  paletteOpen.value = true;
};

/** Begins to listen for its key, which counts in fields too. */
export function startPalette(): void {
  document.addEventListener("keydown", (event) => {
    if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    openPalette();
  });
}
