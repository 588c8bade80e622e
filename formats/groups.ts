/** Groups items by a key. Groups and their items keep the order of the items. */
export function groupBy<Item>(
  items: readonly Item[],
  readKey: (item: Item, index: number) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  items.forEach((item, index) => {
    const key = readKey(item, index);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  });
  return groups;
}
