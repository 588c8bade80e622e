import { signal } from "@preact/signals";

/** True while the list of keyboard shortcuts is open. */
export const isHelpOpen = signal(false);

/** Opens the list of keyboard shortcuts. */
export const openHelp = (): void => {
  isHelpOpen.value = true;
};
