/** The path in this app for an address that the server gave. */
export const pathOf = (url: string): string => {
  const { pathname, hash } = new URL(url, location.href);
  return pathname + hash;
};
