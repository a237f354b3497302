/** Makes the browser save the file at an address under the given name. */
export function download(href: string, name: string): void {
  Object.assign(document.createElement('a'), { href, download: name, rel: 'noopener' }).click()
}

/** Makes the browser save a file under the given name. */
export function saveFile(file: Blob, name: string): void {
  const href = URL.createObjectURL(file)
  download(href, name)
  URL.revokeObjectURL(href)
}
