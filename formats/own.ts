/** Object of which any property name may be read. Null and undefined have no properties. */
type Members<Value> = { readonly [name: string]: Value } | null | undefined;

/**
 * Reads an object's own property by a name that comes from outside. A plain read of `constructor` or `__proto__` would
 * return an inherited value.
 */
export const readOwn = <Value>(of: Members<Value>, name: string): Value | undefined =>
  of && Object.hasOwn(of, name) ? of[name] : undefined;
