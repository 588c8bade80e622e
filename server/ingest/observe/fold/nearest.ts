/** A report, by the id of its event and its time, epoch ms. */
interface Timed {
  id: string;
  at: number;
}

/** The order of reports in time; of those of one moment, that of their ids. */
export const inTime = (a: Timed, b: Timed): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/** Takes the report out of `others` that lies nearest to one in time, of those that fit. */
export function takeNearest<T extends Timed>({ at }: Timed, others: T[], fits: (other: T) => boolean): T | undefined {
  const distance = (other: T) => Math.abs(other.at - at);
  const [nearest] = others.filter(fits).sort((a, b) => distance(a) - distance(b) || inTime(a, b));
  if (nearest) others.splice(others.indexOf(nearest), 1);
  return nearest;
}
