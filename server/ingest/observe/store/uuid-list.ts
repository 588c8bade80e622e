/** UUIDs as the text of an array, which a driver would put together piece by piece. */
export const uuidList = (ids: readonly string[]): string => `{${ids.join()}}`;
