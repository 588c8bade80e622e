/** Objects of which a property of any name may be read; null and undefined have none. */
type Members<Value> = { readonly [name: string]: Value } | null | undefined;

/**
 * The own property of an object, for names that come from outside: a plain read of `constructor` or `__proto__` finds what
 * every object inherits.
 */
export const readOwn = <Value>(of: Members<Value>, name: string): Value | undefined =>
  of && Object.hasOwn(of, name) ? of[name] : undefined;
