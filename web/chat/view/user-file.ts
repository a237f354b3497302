import type { Icon } from '../icon.ts'

/** The sign of a file by what it is. */
export function signOfFile(type: string, name: string): Icon {
  const isImage = type.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(name)
  return isImage ? 'image' : 'page'
}

/** Has the browser store what an address leads to, under a name. */
export function download(href: string, name: string): void {
  const link = Object.assign(document.createElement('a'), { href, download: name, rel: 'noopener' })
  link.click()
}
