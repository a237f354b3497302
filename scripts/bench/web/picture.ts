import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launch } from '../../../test/support/browser.ts'
import { bundle, type Subject } from './build.ts'
import type { Picture } from './page/floor.ts'

const floor = fileURLToPath(new URL('page/floor.ts', import.meta.url))

/**
 * The floor that shows what the chat shows before its first message, the same elements under the same sheets: what the
 * chat takes beyond it is for what it does, not for how it looks.
 */
export async function bundlePicture(origin: string, folder: string): Promise<Subject> {
  const entry = join(folder, 'picture.ts')
  const call = `floor(60, ${JSON.stringify(await taken(origin))})`
  await writeFile(entry, `import { floor } from ${JSON.stringify(floor)}\n${call}\n`)
  return bundle('picture', false, folder, entry)
}

async function taken(origin: string): Promise<Picture> {
  const browser = await launch()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${origin}/ours/?n=0`)
    await page.waitForFunction(() => window.bench?.told)
    return await page.evaluate(() => {
      const root = document.querySelector('ai-chat-module')?.shadowRoot
      const text = (sheet: CSSStyleSheet) => [...sheet.cssRules].map((rule) => rule.cssText).join('\n')
      return {
        markup: (root?.innerHTML ?? '').replace(/<!--.*?-->/gs, ''),
        sheets: (root?.adoptedStyleSheets ?? []).map(text),
      }
    })
  } finally {
    await browser.close()
  }
}
