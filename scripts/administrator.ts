/**
 * `npm run administrator`: sets up the site of a deployed stage that uses the reference CMS, with its first user. It
 * reads the password from standard input, so that no shell history contains it.
 */
import { text as readAll } from 'node:stream/consumers'
import { config } from '../core/base/config.ts'
import { found } from '../core/cms/reference/bootstrap.ts'
import { print, runStageCommand, text, UsageError } from './command.ts'

const usage =
  'npm run administrator -- --stage NAME --username NAME [--name "Full Name"] [--site NAME] [--lang en] < password'
const leastPassword = 12

const options = {
  stage: text,
  username: text,
  name: text,
  site: { ...text, default: 'Website' },
  lang: { ...text, default: 'en' },
}

runStageCommand(usage, { options }, async ({ values }) => {
  const { username, name = username, site, lang } = values
  if (!username || !name || !/^[a-z0-9._-]{1,64}$/.test(username))
    throw new UsageError('--username is needed: 1-64 of a-z 0-9 . _ -')
  const { cmsTable } = config()
  if (!cmsTable)
    throw new UsageError('This stage has no reference CMS: its users are those of the CMS elsewhere.')
  const password = (await readAll(process.stdin)).trim()
  if ([...password].length < leastPassword)
    throw new UsageError(`The password has to have at least ${leastPassword} characters.`)
  const isNew = await found(cmsTable, site, { username, name, password, lang }, Date.now())
  print(
    isNew
      ? `${username} can log in at ${config().origin}/backend`
      : 'There is a site already; nothing was changed.',
  )
  return isNew ? 0 : 1
})
