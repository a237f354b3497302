import { existsSync } from 'node:fs'

const usual = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Debian's package: the same engine without the windows of a desktop. Tests take half of the processor time in it. */
const shell = '/usr/bin/chromium-headless-shell'

/**
 * Path of the Chromium for browser tests: `CHROMIUM_PATH`, else the one without windows, else the usual places;
 * undefined when there is none.
 */
export const findChromium = (): string | undefined => find([shell, ...usual])

/** Path of a Chromium as a person uses it, which benches measure: `CHROMIUM_PATH`, else the usual places. */
export const findDesktopChromium = (): string | undefined => find(usual)

function find(paths: string[]): string | undefined {
  const given = process.env.CHROMIUM_PATH
  return given ? existing(given) : paths.find(existsSync)
}

const existing = (path: string) => (existsSync(path) ? path : undefined)
