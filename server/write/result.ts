/** What a mutation's function returns for its payload: ids of the rows to show, and values that are shown only once. */
export interface Result {
  id?: string;
  ids?: readonly string[];
  /** Values for fields of the payload that are no entity, such as a secret. */
  values?: Readonly<Record<string, unknown>>;
  /** What `onReplay` needs to know of this run when the request comes again; stored unencrypted. */
  kept?: string;
}
