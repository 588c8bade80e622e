const WIDTH = 96;
const HEIGHT = 20;
const TOP = 3;

/** Small chart of a count over time. The intervals with the most failures are marked. */
export function Sparkline({ calls, failures }: { calls: readonly number[]; failures: readonly number[] }) {
  const most = Math.max(1, ...calls);
  const x = (at: number) => (at * WIDTH) / Math.max(1, calls.length - 1);
  const y = (count: number) => HEIGHT - 1 - ((HEIGHT - 1 - TOP) * count) / most;
  const points = calls.map((count, at) => `${x(at).toFixed(1)},${y(count).toFixed(1)}`);
  const worst = [...failures.keys()]
    .filter((at) => failures[at])
    .sort((a, b) => (failures[b] ?? 0) - (failures[a] ?? 0));
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path class="area" d={`M0,${HEIGHT} L${points.join(" L")} L${WIDTH},${HEIGHT}z`} />
      <polyline points={points.join(" ")} />
      {worst.slice(0, MARKS).map((at) => (
        <path
          key={at}
          class="hit"
          d={`M${x(at).toFixed(1)} ${(y(calls[at] ?? 0) - 3.2).toFixed(1)}l3.2 3.2-3.2 3.2-3.2-3.2z`}
        />
      ))}
    </svg>
  );
}

/** Maximum number of marks. More marks would hide the line. */
const MARKS = 4;
