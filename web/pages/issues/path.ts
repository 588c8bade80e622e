/** Returns the path in this app for a URL of the server. */
export const toAppPath = (url: string): string => {
  const { pathname, hash } = new URL(url, location.href);
  return pathname + hash;
};
