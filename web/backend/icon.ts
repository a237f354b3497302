import { html, svg, type TemplateResult } from 'lit'

/** The icons of the backend, on a grid of 16 (the mark: 20); decoration, so never read out. */
const icons = {
  mark: svg`<path d="M3.75 12.75a6.25 6.25 0 0 1 12.5 0M1.75 16.25h16.5" /><path d="M7.25 12.75a2.75 2.75 0 0 1 5.5 0" />`,
  chat: svg`<path d="M3 2.75h10c.7 0 1.25.55 1.25 1.25v6c0 .7-.55 1.25-1.25 1.25H7.75L4.5 13.9v-2.65H3c-.7 0-1.25-.55-1.25-1.25V4c0-.7.55-1.25 1.25-1.25ZM5 5.75h6M5 8.25h3.5" />`,
  search: svg`<circle cx="7" cy="7" r="4.25" /><path d="m10.25 10.25 3.25 3.25" />`,
  right: svg`<path d="M6.25 4 10.25 8l-4 4" />`,
  down: svg`<path d="M4 6.25 8 10.25l4-4" />`,
  page: svg`<path d="M9 1.75H3.75v12.5h8.5V5zM9 1.75V5h3.25M6 8.25h4M6 11h4" />`,
  list: svg`<path d="M5.75 4h7.75M5.75 8h7.75M5.75 12h7.75M2.75 4v0M2.75 8v0M2.75 12v0" />`,
  log: svg`<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.25" /><path d="m4.5 6 2 2-2 2M8.5 10.25h3" />`,
  usage: svg`<path d="M2.25 13.75h11.5M4 11.25V8M8 11.25v-8M12 11.25V5.5" />`,
  download: svg`<path d="M8 2.25v7.5M4.75 6.75 8 10l3.25-3.25M2.75 13.25h10.5" />`,
  home: svg`<path d="M2.25 7.25 8 2.5l5.75 4.75M3.75 6.25v7.25h8.5V6.25M6.75 13.25V9.5h2.5v3.75" />`,
  hidden: svg`<path d="M2.25 2.25l11.5 11.5M6.4 4.1A6.6 6.6 0 0 1 8 3.9c3.2 0 5.3 2.5 6.25 4.1a10.6 10.6 0 0 1-1.9 2.35M4.25 5.15A10.6 10.6 0 0 0 1.75 8C2.7 9.6 4.8 12.1 8 12.1c1 0 1.95-.25 2.75-.65M6.6 6.65a1.95 1.95 0 0 0 2.75 2.75" />`,
  user: svg`<circle cx="8" cy="5.25" r="2.75" /><path d="M2.75 13.75c.4-2.6 2.5-4 5.25-4s4.85 1.4 5.25 4" />`,
  theme: svg`<circle cx="8" cy="8" r="5.5" /><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11Z" fill="currentColor" stroke="none" />`,
  pencil: svg`<path d="m10.75 2.5 2.75 2.75-7.75 7.75-3.25.5.5-3.25zM9 4.25 11.75 7" />`,
  clock: svg`<circle cx="8" cy="8" r="5.75" /><path d="M8 4.75V8l2.25 1.5" />`,
  warning: svg`<path d="M8 2.25 14.25 13.25H1.75zM8 6.5v3M8 11.4v0" />`,
  info: svg`<circle cx="8" cy="8" r="5.75" /><path d="M8 7.5v3.25M8 5.25v0" />`,
  menu: svg`<path d="M2.5 4.25h11M2.5 8h11M2.5 11.75h11" />`,
  logout: svg`<path d="M6.25 2.75h-3.5v10.5h3.5M10 5l3 3-3 3M12.75 8H6" />`,
  folder: svg`<path d="M1.75 3.75v9h12.5v-7h-6l-1.5-2z" />`,
  record: svg`<ellipse cx="8" cy="4" rx="5.25" ry="1.75" /><path d="M2.75 4v8c0 1 2.35 1.75 5.25 1.75s5.25-.75 5.25-1.75V4M2.75 8c0 1 2.35 1.75 5.25 1.75S13.25 9 13.25 8" />`,
  back: svg`<path d="M13 8H3.25M7.25 3.75 3 8l4.25 4.25" />`,
  close: svg`<path d="m4 4 8 8M12 4l-8 8" />`,
  retry: svg`<path d="M12.75 9.5A5 5 0 1 1 11.6 4.4l1.65 1.6M13.25 2.5V6H9.75" />`,
  plus: svg`<path d="M8 3v10M3 8h10" />`,
}

export type Icon = keyof typeof icons

/** An icon in the colour of its text. `className` adds to the class, such as `i-d` for one that mirrors. */
export function icon(name: Icon, className = ''): TemplateResult {
  const size = name === 'mark' ? 20 : 16
  return html`<svg class="i ${className}" viewBox="0 0 ${size} ${size}" aria-hidden="true">${icons[name]}</svg>`
}
