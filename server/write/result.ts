/** What a mutation's function tells its payload: ids of the rows to show, and values shown only this once. */
export interface Result {
  id?: string;
  ids?: readonly string[];
  /** Values for fields of the payload that are no entity, such as a secret. */
  values?: Readonly<Record<string, unknown>>;
}
