/**
 * Phrases of Trackway's own comments about the holder of a lease. Comments contain the holder's name as text, and
 * `delete-account` finds the name by these phrases. Release 0.2.0 wrote the same phrases.
 */
export const HOLDER_TEXTS = {
  held: (name: string) => `is free again: ${name} held it since `,
  keyEnded: (name: string) => `the key of ${name} has ended`,
  silent: (name: string) => `nothing was heard of ${name} until `,
  limited: (name: string) => `, and ${name} may not write to it any more.`,
} as const;
