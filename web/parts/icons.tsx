/** The drawings of the icons, 16 by 16, with strokes of 1.5; functions, because an element stands in one place only. */
export const ICONS = {
  bash: () => (
    <>
      <rect x="1.8" y="2.8" width="12.4" height="10.4" rx="1.6" />
      <path d="m4.5 6 2 2-2 2M8.5 10.2h3" />
    </>
  ),
  block: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="m4 12 8-8" />
    </>
  ),
  check: () => (
    <>
      <path d="m3 8.5 3.5 3.5L13 4.5" />
    </>
  ),
  clock: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  copy: () => (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.4" />
      <path d="M10.5 5.5V3.9c0-.8-.6-1.4-1.4-1.4H3.9c-.8 0-1.4.6-1.4 1.4v5.2c0 .8.6 1.4 1.4 1.4h1.6" />
    </>
  ),
  dn: () => (
    <>
      <path d="M8 3v10M4 9l4 4 4-4" />
    </>
  ),
  dots: () => (
    <>
      <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2" />
    </>
  ),
  down: () => (
    <>
      <path d="m4 6 4 4 4-4" />
    </>
  ),
  edit: () => (
    <>
      <path d="m10.6 2.6 2.8 2.8L5.6 13.2l-3.5.7.7-3.5zM9 4.2 11.8 7" />
    </>
  ),
  fail: () => (
    <>
      <path d="M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3z" />
      <path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4" />
    </>
  ),
  filter: () => (
    <>
      <path d="M2 4h12M4.5 8h7M7 12h2" />
    </>
  ),
  fit: () => (
    <>
      <path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />
    </>
  ),
  flag: () => (
    <>
      <path d="M8 2.5 13.5 8 8 13.5 2.5 8z" />
    </>
  ),
  grep: () => (
    <>
      <path d="M2 4h7M2 8h3.5M2 12h3.5" />
      <circle cx="10" cy="9.5" r="2.8" />
      <path d="m12 11.5 2 2" />
    </>
  ),
  hi: () => (
    <>
      <path d="M3 13v-3M8 13V7M13 13V3" stroke-width="2.2" />
    </>
  ),
  info: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 7.4v3.4M8 5.1v.1" />
    </>
  ),
  issues: () => (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.8v3.6M8 11v.1" />
    </>
  ),
  key: () => (
    <>
      <circle cx="5" cy="8" r="3" />
      <path d="M8 8h6M11.5 8v2.5M14 8v1.8" />
    </>
  ),
  link: () => (
    <>
      <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3L8 4.3M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l1-1" />
    </>
  ),
  llm: () => (
    <>
      <path d="M8 2v12M4.6 4.5v7M11.4 4.5v7M1.6 7v2M14.4 7v2" />
    </>
  ),
  lock: () => (
    <>
      <rect x="3" y="7" width="10" height="6.8" rx="1.4" />
      <path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />
    </>
  ),
  mark: () => (
    <>
      <path d="M3 16.2h4.2M8.2 10h4.2M12.8 3.8H17" stroke-width="2.4" />
      <path d="M4 9.8h1M15 10.2h1M9.4 16.2h1" stroke-width="2.4" opacity=".35" />
    </>
  ),
  mcp: () => (
    <>
      <path d="M5.5 5.5 8 3l5 5-2.5 2.5M10.5 10.5 8 13 3 8l2.5-2.5M6.5 9.5l3-3" />
    </>
  ),
  minus: () => (
    <>
      <path d="M3 8h10" />
    </>
  ),
  off: () => (
    <>
      <path d="M2 6.2A9 9 0 0 1 8 4M14 6.2A9 9 0 0 0 11.2 4.6M4.4 8.8A5.4 5.4 0 0 1 7 7.5M8 12v.1M2.5 2.5l11 11" />
    </>
  ),
  okc: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="m5.4 8.2 1.9 1.9 3.4-4" />
    </>
  ),
  open: () => (
    <>
      <path d="M9.5 2.5h4v4M13.5 2.5 8 8M12 9.5v3.2c0 .5-.3.8-.8.8H3.3c-.5 0-.8-.3-.8-.8V4.8c0-.5.3-.8.8-.8h3.2" />
    </>
  ),
  pause: () => (
    <>
      <path d="M5.5 3.5v9M10.5 3.5v9" />
    </>
  ),
  plug: () => (
    <>
      <path d="M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14" />
    </>
  ),
  plus: () => (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  prog: () => (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8A3.2 3.2 0 0 1 8 11.2z" fill="currentColor" />
    </>
  ),
  projects: () => (
    <>
      <path d="M2.5 5 8 2l5.5 3v6L8 14l-5.5-3zM2.5 5 8 8l5.5-3M8 8v6" />
    </>
  ),
  read: () => (
    <>
      <path d="M4 1.8h5l3.2 3.2v9.2H4zM9 1.8V5h3.2M6 8h4M6 10.8h4" />
    </>
  ),
  retry: () => (
    <>
      <path d="M13 8a5 5 0 1 1-1.5-3.6L13 6M13 2.8V6H9.8" />
    </>
  ),
  right: () => (
    <>
      <path d="m6 4 4 4-4 4" />
    </>
  ),
  run: () => (
    <>
      <circle cx="8" cy="8" r="5.8" opacity=".3" />
      <path d="M8 2.2A5.8 5.8 0 0 1 13.8 8" />
    </>
  ),
  search: () => (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  sessions: () => (
    <>
      <path d="M2 4h6M5 8h9M3 12h7" />
    </>
  ),
  settings: () => (
    <>
      <path d="M2 5h6M12 5h2M2 11h2M8 11h6" />
      <circle cx="10" cy="5" r="2" />
      <circle cx="6" cy="11" r="2" />
    </>
  ),
  ship: () => (
    <>
      <path d="M8 10V2.5M5 5.2l3-2.9 3 2.9M2.5 9.5v4h11v-4" />
    </>
  ),
  sub: () => (
    <>
      <circle cx="4" cy="3.6" r="1.8" />
      <circle cx="12" cy="8" r="1.8" />
      <circle cx="12" cy="13" r="1.2" />
      <path d="M4 5.4v4.8c0 1.6 1 2.8 2.6 2.8h4M4 7c0 .8.4 1 1.4 1h4.8" />
    </>
  ),
  tools: () => (
    <>
      <path d="M9.8 2.4a3.6 3.6 0 0 0-4.5 4.5L2 10.2 3.2 13 6 14l3.2-3.3a3.6 3.6 0 0 0 4.4-4.5L11.3 8.4 8.6 7.4l-.9-2.8z" />
    </>
  ),
  turn: () => (
    <>
      <path d="M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z" />
    </>
  ),
  up: () => (
    <>
      <path d="M8 13V3M4 7l4-4 4 4" />
    </>
  ),
  users: () => (
    <>
      <circle cx="6" cy="5.5" r="2.5" />
      <path d="M1.5 13c.3-2.5 2-4 4.5-4s4.2 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.3c1.5.6 2.3 1.9 2.5 3.7" />
    </>
  ),
  warn: () => (
    <>
      <path d="M8 2.2 14.4 13H1.6zM8 6.4v3M8 11.3v.1" />
    </>
  ),
  x: () => (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
};

/** Name of an icon. */
export type IconName = keyof typeof ICONS;
