let changed = false;

/** Records that this command is about to send a change to the server. */
export function recordSentChange(): void {
  changed = true;
}

/**
 * Returns true if this command sent a change to the server. If so, the result of the change must reach the user, and a
 * closed output pipe is an error.
 */
export const hasSentChange = (): boolean => changed;
