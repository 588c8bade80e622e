import { signal } from "@preact/signals";

/** True if the list of keys is open. */
export const helpOpen = signal(false);

/** Opens it. */
export const openHelp = (): void => {
  helpOpen.value = true;
};
