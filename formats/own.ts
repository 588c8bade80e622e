/** Object whose properties can be read by any name. Null and undefined have no properties. */
type Members<Value> = { readonly [name: string]: Value } | null | undefined;

/**
 * Reads an object's own property. The name may come from outside, such as `constructor` or `__proto__`, for which a
 * plain read would return an inherited value.
 */
export const getOwnProperty = <Value>(of: Members<Value>, name: string): Value | undefined =>
  of && Object.hasOwn(of, name) ? of[name] : undefined;
