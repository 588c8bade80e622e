/** Icons of the issue tracker, 16 by 16. These icons are separate from the icons that every page loads. */
const DRAWINGS = {
  backlog: () => <circle cx="8" cy="8" r="5.8" stroke-dasharray="2.2 2.35" />,
  unstarted: () => <circle cx="8" cy="8" r="5.8" />,
  started: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8A3.2 3.2 0 0 1 8 11.2z" fill="currentColor" stroke="none" />
    </>
  ),
  review: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8A3.2 3.2 0 1 1 4.8 8H8z" fill="currentColor" stroke="none" />
    </>
  ),
  completed: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M5.4 8.2l1.9 1.9 3.4-4" />
    </>
  ),
  canceled: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M5.2 8h5.6" />
    </>
  ),
  none: () => <path d="M2.5 8h2M7 8h2M11.5 8h2" />,
  low: () => <Bars strong="M3 13v-3" weak="M8 13V7M13 13V3" />,
  medium: () => <Bars strong="M3 13v-3M8 13V7" weak="M13 13V3" />,
  high: () => <Bars strong="M3 13v-3M8 13V7M13 13V3" weak="" />,
  urgent: () => (
    <>
      <rect x="2" y="2" width="12" height="12" rx="2.6" fill="currentColor" stroke="none" />
      <path d="M8 4.7v4M8 11.2v.1" stroke="var(--surface)" stroke-width="1.8" />
    </>
  ),
  list: () => <path d="M5.5 4H14M5.5 8H14M5.5 12H14M2.2 4h.05M2.2 8h.05M2.2 12h.05" />,
  board: () => <path d="M2.4 2.8h3v10.4h-3zM6.7 2.8h3V9h-3zM10.9 2.8h2.8v7.4h-2.8z" />,
  user: () => (
    <>
      <circle cx="8" cy="5.5" r="2.7" />
      <path d="M3 13.7c.4-2.7 2.3-4.2 5-4.2s4.6 1.5 5 4.2" />
    </>
  ),
  tag: () => <path d="M2.5 2.5h5.8l5.2 5.2-5.8 5.8-5.2-5.2zM5.5 5.5h.05" />,
  cycle: () => <path d="M13.5 7A5.6 5.6 0 0 0 3.4 4.7M2.5 9a5.6 5.6 0 0 0 10.1 2.3M3 2.3v2.6h2.6M13 13.7v-2.6h-2.6" />,
  hand: () => <path d="M2 8h8.5M7.5 4.5 11 8l-3.5 3.5M13.8 3v10" />,
  calendar: () => (
    <>
      <rect x="2.3" y="3.3" width="11.4" height="10.4" rx="1.4" />
      <path d="M2.3 6.7h11.4M5.4 1.9v2.6M10.6 1.9v2.6" />
    </>
  ),
  milestone: () => <path d="M8 2 13 8l-5 6-5-6z" />,
  verified: () => <path d={`${SHIELD}M5.6 8l1.7 1.7 3.2-3.5`} />,
  unproven: () => <path d={SHIELD} stroke-dasharray="2.2 2.1" />,
  contradicted: () => <path d={`${SHIELD}M6 5.9l4 4M10 5.9l-4 4`} />,
} as const;

const SHIELD = "M8 1.8 13.2 3.6v4.2c0 3-2.1 5.2-5.2 6.4C4.9 13 2.8 10.8 2.8 7.8V3.6z";

const Bars = ({ strong, weak }: { strong: string; weak: string }) => (
  <>
    <path d={strong} stroke-width="2.2" />
    <path d={weak} stroke-width="2.2" opacity=".28" />
  </>
);

export type TrackerIconName = keyof typeof DRAWINGS;

/** Icon that is hidden from screen readers. */
export const TrackerIcon = ({ name, class: more = "" }: { name: TrackerIconName; class?: string }) => (
  <svg class={`i i-14 ${more}`} viewBox="0 0 16 16" aria-hidden="true">
    {DRAWINGS[name]()}
  </svg>
);
