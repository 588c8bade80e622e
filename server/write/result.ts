/** The result of a mutation's function, for its payload: ids of the rows to show, and values that are shown only once. */
export interface Result {
  id?: string;
  ids?: readonly string[];
  /** Values for fields of the payload that are no entity, such as a secret. */
  values?: Readonly<Record<string, unknown>>;
  /** Facts of this run that `onReplay` needs when the request comes again; stored unencrypted. */
  kept?: string;
}
