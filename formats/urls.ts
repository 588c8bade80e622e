/** Returns true for an origin as browsers send it: scheme, host and any non-default port, without a path. */
export const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Returns true for a host name as URLs contain it: in lower case, without a port. */
export const isHostname = (text: string): boolean =>
  URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text;
