const OWN = new Set(
  "api assets connect favicon graphql health invitation issues mcp metrics oauth sessions settings socket tools users v1".split(
    " ",
  ),
);

/** True for a urlKey that is the first part of the server's own paths: as an address it would lead elsewhere. */
export const isOwnPath = (urlKey: string): boolean => OWN.has(urlKey);
