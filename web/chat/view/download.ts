/** Has the browser store what an address leads to, under a name. */
export function download(href: string, name: string): void {
  const link = Object.assign(document.createElement('a'), { href, download: name, rel: 'noopener' })
  link.click()
}
