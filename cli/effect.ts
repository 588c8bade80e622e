let changed = false;

/** Notes that this command sends a change to the server. */
export function recordSentChange(): void {
  changed = true;
}

/** Returns true if this command sent a change to the server. The caller must then receive the result. */
export const hasSentChange = (): boolean => changed;
