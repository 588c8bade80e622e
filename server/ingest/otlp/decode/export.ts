/** The spans or log records of one request. */
export interface Export<T> {
  /** Those that are looked at: the first ones, if there are too many. */
  records: T[];
  /** How many were sent. */
  count: number;
}

/** Nothing is read yet. */
export const newExport = <T>(): Export<T> => ({ records: [], count: 0 });
