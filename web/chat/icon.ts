import { html, type TemplateResult } from 'lit'

/** Icons on a grid of 16, one path each: drawn with a stroke of 1.5, or filled. */
const paths = {
  chat: 'M3 2.75h10c.7 0 1.25.55 1.25 1.25v6c0 .7-.55 1.25-1.25 1.25H7.75L4.5 13.9v-2.65H3c-.7 0-1.25-.55-1.25-1.25V4c0-.7.55-1.25 1.25-1.25ZM5 5.75h6M5 8.25h3.5',
  send: 'M8 12.75v-9.5M3.75 7.25 8 3l4.25 4.25',
  stop: 'M5.5 4h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5z',
  attach: 'M12 5.75v4.5a3.875 3.875 0 0 1-7.75 0V4.5a2.5 2.5 0 0 1 5 0V10a1.25 1.25 0 0 1-2.5 0V5.5',
  plus: 'M8 3v10M3 8h10',
  search: 'M2.75 7a4.25 4.25 0 1 0 8.5 0a4.25 4.25 0 1 0 -8.5 0M10.25 10.25l3.25 3.25',
  pin: 'M5.5 2.25h5M6.25 2.25v4L4 8.75v1h8v-1L9.75 6.25v-4M8 9.75v4',
  archive: 'M2 2.75h12v3.5H2zM3.25 6.25v7h9.5v-7M6.5 8.75h3',
  trash: 'M2.75 4.25h10.5M6 4V2.25h4V4M4 4.25l.65 9.5h6.7l.65-9.5M6.75 7v4M9.25 7v4',
  more: 'M2 8a1.25 1.25 0 1 0 2.5 0a1.25 1.25 0 1 0 -2.5 0M6.75 8a1.25 1.25 0 1 0 2.5 0a1.25 1.25 0 1 0 -2.5 0M11.5 8a1.25 1.25 0 1 0 2.5 0a1.25 1.25 0 1 0 -2.5 0',
  right: 'M6.25 4 10.25 8l-4 4',
  left: 'M9.75 4 5.75 8l4 4',
  down: 'M4 6.25 8 10.25l4-4',
  up: 'M4 9.75 8 5.75l4 4',
  back: 'M13 8H3.25M7.25 3.75 3 8l4.25 4.25',
  close: 'm4 4 8 8M12 4l-8 8',
  check: 'm3 8.5 3.25 3.25L13 4.75',
  select:
    'M4 2.75h8a1.25 1.25 0 0 1 1.25 1.25v8a1.25 1.25 0 0 1 -1.25 1.25h-8a1.25 1.25 0 0 1 -1.25 -1.25v-8a1.25 1.25 0 0 1 1.25 -1.25zM5.25 8.25l2 2 3.5-4',
  copy: 'M7 5.75h5.5a1.25 1.25 0 0 1 1.25 1.25v5.5a1.25 1.25 0 0 1 -1.25 1.25h-5.5a1.25 1.25 0 0 1 -1.25 -1.25v-5.5a1.25 1.25 0 0 1 1.25 -1.25zM10.25 3.25a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1',
  thumbUp:
    'M2.5 7h2.25v6.25H2.5zM4.75 7 7.5 1.75c1 0 1.75.75 1.75 1.75v2.75h3.25c.8 0 1.4.75 1.2 1.5l-1.1 4.5c-.15.6-.6 1-1.2 1H4.75',
  thumbDown:
    'M2.5 9h2.25V2.75H2.5zM4.75 9 7.5 14.25c1 0 1.75-.75 1.75-1.75V9.75h3.25c.8 0 1.4-.75 1.2-1.5l-1.1-4.5c-.15-.6-.6-1-1.2-1H4.75',
  retry: 'M12.75 9.5A5 5 0 1 1 11.6 4.4l1.65 1.6M13.25 2.5V6H9.75',
  undo: 'M3 6h6.5a3.5 3.5 0 0 1 0 7H6M5.75 3.25 3 6l2.75 2.75',
  page: 'M9 1.75H3.75v12.5h8.5V5zM9 1.75V5h3.25M6 8.25h4M6 11h4',
  list: 'M5.75 4h7.75M5.75 8h7.75M5.75 12h7.75M2.75 4v0M2.75 8v0M2.75 12v0',
  log: 'M3 2.75h10a1.25 1.25 0 0 1 1.25 1.25v8a1.25 1.25 0 0 1 -1.25 1.25h-10a1.25 1.25 0 0 1 -1.25 -1.25v-8a1.25 1.25 0 0 1 1.25 -1.25zM4.5 6l2 2-2 2M8.5 10.25h3',
  home: 'M2.25 7.25 8 2.5l5.75 4.75M3.75 6.25v7.25h8.5V6.25M6.75 13.25V9.5h2.5v3.75',
  folder: 'M1.75 3.75v9h12.5v-7h-6l-1.5-2z',
  record:
    'M2.75 4a5.25 1.75 0 1 0 10.5 0a5.25 1.75 0 1 0 -10.5 0M2.75 4v8c0 1 2.35 1.75 5.25 1.75s5.25-.75 5.25-1.75V4M2.75 8c0 1 2.35 1.75 5.25 1.75S13.25 9 13.25 8',
  image:
    'M3 2.75h10a1.25 1.25 0 0 1 1.25 1.25v8a1.25 1.25 0 0 1 -1.25 1.25h-10a1.25 1.25 0 0 1 -1.25 -1.25v-8a1.25 1.25 0 0 1 1.25 -1.25zM4.25 6a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M2.25 11.5l3.5-3 2.5 2.25L10.75 8l3.25 3',
  user: 'M5.25 5.25a2.75 2.75 0 1 0 5.5 0a2.75 2.75 0 1 0 -5.5 0M2.75 13.75c.4-2.6 2.5-4 5.25-4s4.85 1.4 5.25 4',
  expand: 'M9.5 2.5h4v4M13.25 2.75 9.25 6.75M6.5 13.5h-4v-4M2.75 13.25l4-4',
  full: 'M3.25 2.25h9.5a1.25 1.25 0 0 1 1.25 1.25v9a1.25 1.25 0 0 1 -1.25 1.25h-9.5a1.25 1.25 0 0 1 -1.25 -1.25v-9a1.25 1.25 0 0 1 1.25 -1.25zM2 5.5h12',
  half: 'M3.25 2.25h9.5a1.25 1.25 0 0 1 1.25 1.25v9a1.25 1.25 0 0 1 -1.25 1.25h-9.5a1.25 1.25 0 0 1 -1.25 -1.25v-9a1.25 1.25 0 0 1 1.25 -1.25zM2 8.5h12',
  shield: 'm8 1.75 5 1.75v4c0 3.2-2.1 5.6-5 6.75-2.9-1.15-5-3.55-5-6.75v-4zM5.75 7.9l1.6 1.6 2.9-3',
  pencil: 'm10.75 2.5 2.75 2.75-7.75 7.75-3.25.5.5-3.25zM9 4.25 11.75 7',
  download: 'M8 2.5v7.25M4.75 6.75 8 10l3.25-3.25M2.75 13.25h10.5',
  sliders:
    'M2.25 4.75h6M12.25 4.75h1.5M2.25 11.25h1.5M7.75 11.25h6M8.5 4.75a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0M4 11.25a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0',
  clock: 'M2.25 8a5.75 5.75 0 1 0 11.5 0a5.75 5.75 0 1 0 -11.5 0M8 4.75V8l2.25 1.5',
  warning: 'M8 2.25 14.25 13.25H1.75zM8 6.5v3M8 11.4v0',
  info: 'M2.25 8a5.75 5.75 0 1 0 11.5 0a5.75 5.75 0 1 0 -11.5 0M8 7.5v3.25M8 5.25v0',
  model:
    'M5.25 4h5.5a1.25 1.25 0 0 1 1.25 1.25v5.5a1.25 1.25 0 0 1 -1.25 1.25h-5.5a1.25 1.25 0 0 1 -1.25 -1.25v-5.5a1.25 1.25 0 0 1 1.25 -1.25zM6.5 1.75V4M9.5 1.75V4M6.5 12v2.25M9.5 12v2.25M1.75 6.5H4M1.75 9.5H4M12 6.5h2.25M12 9.5h2.25',
  external: 'M9.25 2.75h4V6.75M13 3 7.75 8.25M11.5 9.75v3.5h-8.75V4.5h3.5',
  lock: 'M4.5 7h7a1.25 1.25 0 0 1 1.25 1.25v4.25a1.25 1.25 0 0 1 -1.25 1.25h-7a1.25 1.25 0 0 1 -1.25 -1.25v-4.25a1.25 1.25 0 0 1 1.25 -1.25zM5.25 7V5a2.75 2.75 0 0 1 5.5 0v2',
  spin: 'M8 2.25A5.75 5.75 0 0 1 13.75 8',
} as const

export type Icon = keyof typeof paths

const filled: ReadonlySet<string> = new Set(['stop', 'more'])
/** Icons with a direction: they are mirrored if the text runs from right to left. */
const directed: ReadonlySet<string> = new Set(['right', 'left', 'back', 'undo'])
/** The faint track on which the ring of the icon `spin` turns. */
const track = 'M2.25 8a5.75 5.75 0 1 0 11.5 0a5.75 5.75 0 1 0 -11.5 0'

const iconClass = (name: Icon, more: string) =>
  `i${filled.has(name) ? ' i-fill' : ''}${directed.has(name) ? ' i-d' : ''}${name === 'spin' ? ' spin' : ''}${more && ` ${more}`}`

/** Returns a decorative icon: a label beside it or on its button always gives the meaning. */
export function icon(name: Icon, more = ''): TemplateResult {
  if (name === 'spin')
    // The template has no space before the tag, because the browser would render the space before the label.
    return html`<svg class=${iconClass(name, more)} viewBox="0 0 16 16" aria-hidden="true"><path class="i-track" d=${track}></path><path d=${paths.spin}></path></svg>`
  return html`<svg class=${iconClass(name, more)} viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]}></path></svg>`
}

/** Returns a button that shows only an icon; `label` is its name. `more` adds classes. */
export function iconButton(
  sign: Icon,
  label: string,
  act: (event: Event) => unknown,
  more = '',
): TemplateResult {
  return html`<button class="icon-btn ${more}" type="button" aria-label=${label} title=${label} @click=${act}>${icon(sign)}</button>`
}

/** Returns the icon button that opens and closes a menu of the chat; `label` is its name. */
export function menuButton(
  { ui }: { readonly ui: { readonly menu: string | null } },
  menu: 'more' | 'add',
  sign: Icon,
  label: string,
  toggle: () => unknown,
): TemplateResult {
  return html`<button class="icon-btn" type="button" data-menu=${menu} aria-label=${label} title=${label}
      aria-haspopup="menu" aria-expanded=${String(ui.menu === menu)} @click=${toggle}>
    ${icon(sign)}
  </button>`
}

/** Returns the icon as a DOM node, for parts that are built without templates. */
export function iconNode(name: Icon): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg'
  const picture = document.createElementNS(namespace, 'svg')
  picture.setAttribute('class', iconClass(name, ''))
  picture.setAttribute('viewBox', '0 0 16 16')
  picture.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(namespace, 'path')
  path.setAttribute('d', paths[name])
  picture.append(path)
  return picture
}
