import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../../core/actor.ts'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import { ask } from '../../../core/cms/bridge/line.ts'
import { newCode, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import type { Cms, Write } from '../../../core/cms/cms.ts'
import { look } from '../../../core/cms/picture.ts'
import { ToolError } from '../../../core/error.ts'
import { missing, type Site, startSite } from '../../../infra/local/wordpress/site.ts'
import { runKit } from '../../../scripts/connect/kit/run.ts'
import { image } from '../../support/documents.ts'

const code = newCode('http://127.0.0.1:3000')
const { keyId, bridgeKey } = pairingOf(code) as NonNullable<ReturnType<typeof pairingOf>>

let folder: string
let site: Site
let cms: Cms
let actors: Record<keyof Site['users'], Actor>

/** Makes a post by PHP, and answers its id. */
const post = async (fields: object) =>
  Number(await site.php(`echo wp_insert_post(json_decode('${JSON.stringify(fields)}', true));`))

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`

const line = () => ({ url: site.base, keyId, secret: bridgeKey })
const update = (uid: number, fields: Record<string, unknown>, table = 'post'): Write =>
  ({ kind: 'update', table, uid, fields }) as Write

/** Previews and makes a write, as an approval does. */
async function make(
  actor: Actor,
  write: Write,
  key: string = randomUUID(),
  correlationId: string = randomUUID(),
) {
  const { versions } = await cms.preview(actor, write, [])
  return cms.write(actor, write, { key, correlationId, versions, now: Date.now() })
}

if (missing.length > 0)
  test(`WordPress is left out: this machine lacks ${missing.join(', ')}`, () => {
    expect(missing).not.toEqual([])
  })
else
  describe('WordPress', () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'wordpress-'))
      site = await startSite(folder)
      await site.php(`AIC_Pairing::keep('${code}');`)
      cms = bridge(line())
      const known = await Promise.all(
        Object.entries(site.users).map(async ([role, uid]) => [role, await cms.user(uid)] as const),
      )
      actors = Object.fromEntries(known) as typeof actors
    }, 120_000)
    afterAll(async () => {
      await site?.close()
      await rm(folder, { recursive: true, force: true })
    })

    test('says who a user is', () => {
      expect([actors.admin, actors.editor]).toEqual([
        { uid: 1, username: 'admin', name: 'admin', isAdmin: true, groups: ['administrator'], lang: 'en_US' },
        { uid: 2, username: 'editor', name: 'Editor', isAdmin: false, groups: ['editor'], lang: 'en_US' },
      ])
    })

    test('says what it has', async () => {
      const { types, drafts, tree, name, version } = await cms.capabilities()

      expect({ name, version, tree, drafts, types: types.map((type) => type.name) }).toEqual({
        name: 'WordPress',
        version: '6.1.9',
        tree: { pages: 'page', content: null },
        drafts: ['post', 'page'],
        types: ['post', 'page', 'attachment', 'comment'],
      })
    })

    test('keeps every sentence of the protocol, and nothing of the kit is left', {
      timeout: 180_000,
    }, async () => {
      const users = { writer: site.users.admin, limited: site.users.author }
      const { results, lacks, left } = await runKit(cms, users, { line: line() })

      const others = results.filter(({ end }) => end !== 'kept')
      expect(others.map(({ capability, end }) => [capability, end])).toEqual([
        ['undo', 'leftOut'],
        ['undo', 'leftOut'],
        ['parts', 'leftOut'],
        ['parts', 'leftOut'],
        ['parts', 'leftOut'],
        ['move', 'leftOut'],
        ['move', 'leftOut'],
        ['translate', 'leftOut'],
        ['translate', 'leftOut'],
      ])
      expect([lacks, left]).toEqual([['home', 'locales', 'parts', 'move', 'translate', 'remove'], []])
    })

    test.each([
      ['an unknown key', { keyId: '0'.repeat(16) }, 'No key has this id'],
      ['another secret', { secret: 'f'.repeat(64) }, 'does not belong to this request'],
    ])('refuses %s', async (_what, wrong, reason) => {
      await expect(ask({ ...line(), ...wrong }, 'languages', 0, {})).rejects.toMatchObject({
        message: expect.stringContaining(reason),
      })
    })

    test('shows a picture to those who may read what it hangs on, and no other file of the machine', async () => {
      const png = (await image('png', 40, 20)).toString('base64')
      const attach = async (name: string, bytes: string, parent = 0) =>
        Number(
          await site.php(
            `$file = wp_upload_bits('${name}', null, base64_decode('${bytes}'));
             $id = wp_insert_attachment(array('post_title' => 'It', 'post_mime_type' => 'image/png'), $file['file'], ${parent});
             echo $id;`,
          ),
        )
      const hidden = await post({ post_title: 'Nightjar', post_status: 'private', post_author: 2 })
      const [uid, page, outside] = [
        await attach('seen.png', png, hidden),
        await attach('page.png', Buffer.from('<script>alert(1)</script>').toString('base64')),
        await attach('else.png', png),
      ]
      await site.php(
        `update_post_meta(${outside}, '_wp_attached_file', ABSPATH . 'wp-admin/images/w-logo-blue.png');`,
      )
      const shown = (actor: Actor, of: number, table = 'attachment') => look(cms, actor, table, of)

      expect(await shown(actors.editor, uid)).toMatchObject({ mimeType: 'image/png', width: 40, height: 20 })
      expect(await shown(actors.author, uid)).toBe('gone')
      expect(await shown(actors.editor, page)).toBe('none')
      expect(await shown(actors.editor, outside)).toBe('none')
      expect(await shown(actors.editor, hidden, 'post')).toBe('none')
    })

    describe('shows', () => {
      test('no draft and no private post of another to those who may not see it, in no operation', async () => {
        const title = `Nightjar${randomUUID().slice(0, 8)}`
        const uid = await post({ post_title: title, post_status: 'private', post_author: 2 })
        const { author, editor } = actors
        const seen = async (actor: Actor) => ({
          page: (await cms.page(actor, uid)) !== undefined,
          record: (await cms.record(actor, 'post', uid)) !== undefined,
          history: (await cms.history(actor, 'post', uid, 5)) !== undefined,
          content: (await cms.pageContent(actor, uid)) !== undefined,
          search: (await cms.search(actor, { text: title, limit: 5 })).length > 0,
          list: (await cms.list(actor, { table: 'post', limit: 100, offset: 0 }))?.records.some(
            (it) => it.uid === uid,
          ),
        })

        expect(await seen(editor)).toEqual({
          page: true,
          record: true,
          history: true,
          content: true,
          search: true,
          list: true,
        })
        expect(await seen(author)).toEqual({
          page: false,
          record: false,
          history: false,
          content: false,
          search: false,
          list: false,
        })
      })

      test('log and users to administrators alone', async () => {
        expect((await cms.users(actors.admin)).map(({ username }) => username)).toEqual(
          Object.keys(site.users),
        )
        expect((await cms.log(actors.admin, { level: 'debug', limit: 5 })).length).toBeGreaterThan(0)
        expect([
          await cms.users(actors.editor),
          await cms.log(actors.editor, { level: 'debug', limit: 5 }),
        ]).toEqual([[], []])
      })

      test('the pages of the site as a tree, with what lies below', async () => {
        const above = await post({ post_title: 'Above', post_type: 'page', post_status: 'publish' })
        const below = await post({
          post_title: 'Below',
          post_type: 'page',
          post_status: 'publish',
          post_parent: above,
        })

        expect(await cms.pageTree(actors.editor, { root: above, depth: 2, limit: 10 })).toEqual([
          {
            uid: below,
            title: 'Below',
            parent: above,
            depth: 1,
            hidden: false,
            hasChildren: false,
            mayEdit: true,
          },
        ])
      })
    })

    describe('changes', () => {
      test('what was shown, once, and keeps the state before in its revisions', async () => {
        const uid = await post({
          post_title: 'Aurora',
          post_content: paragraph('149 EUR'),
          post_status: 'publish',
        })
        const write = update(uid, { content: paragraph('139 EUR') })
        const { changes } = await cms.preview(actors.editor, write, [])
        const key = randomUUID()
        const run = randomUUID()

        const first = await make(actors.editor, write, key, run)
        const again = await cms.write(actors.editor, write, {
          key,
          correlationId: run,
          versions: [],
          now: Date.now(),
        })

        expect(changes).toEqual([
          { field: 'content', label: 'Content', before: paragraph('149 EUR'), after: paragraph('139 EUR') },
        ])
        expect(first).toMatchObject({ state: 'done', table: 'post', uid, changed: ['content'] })
        expect(again).toMatchObject({ state: 'done', uid, version: (first as { version: string }).version })
        const history = await cms.history(actors.editor, 'post', uid, 5)
        expect(
          history?.map(({ correlationId, user, changes }) => [correlationId, user, changes[0]?.after]),
        ).toEqual([
          [run, 'Editor', paragraph('139 EUR')],
          [null, 'Editor', 'Aurora'],
        ])
      })

      test('the proposal shows what kses leaves of it', async () => {
        const uid = await post({ post_title: 'Own', post_status: 'draft', post_author: 3 })

        const { changes } = await cms.preview(
          actors.author,
          update(uid, { content: '<p onclick="x()">Hi</p><script>alert(1)</script>' }),
          [],
        )

        expect(changes.map(({ after }) => after)).toEqual(['<p>Hi</p>alert(1)'])
      })

      test('state, terms, meta and medium, each by its own rules', async () => {
        const uid = await post({ post_title: 'Fields', post_status: 'draft', post_author: 3 })
        await site.php("wp_insert_term('Lamps', 'category');")

        expect(
          await make(actors.author, update(uid, { category: ['Lamps'], status: 'publish' })),
        ).toMatchObject({
          state: 'done',
          record: { hidden: false, fields: { category: ['lamps'], status: 'publish' } },
        })
      })

      test.each([
        ['a field that is not there', 'editor', { colour: 'red' }, /There is no field colour/],
        ['a state that the user may not give', 'contributor', { status: 'publish' }, /draft, pending/],
        ['a term that is not there', 'editor', { category: ['nowhere'] }, /There is no category nowhere/],
        [
          'a schedule in the past',
          'editor',
          { status: 'future', date: '2001-01-01T00:00:00Z' },
          /a date to come/,
        ],
      ] as const)('not %s', async (_what, role, fields, said) => {
        const uid = await post({ post_title: 'Refused', post_status: 'draft', post_author: site.users[role] })

        const refusal = cms.preview(actors[role], update(uid, fields), [])

        await expect(refusal).rejects.toThrow(ToolError)
        await expect(refusal).rejects.toThrow(said)
      })

      test('not the post of another, nor one that another person has open', async () => {
        const foreign = await post({ post_title: 'Foreign', post_status: 'publish', post_author: 2 })
        await expect(cms.preview(actors.author, update(foreign, { title: 'x' }), [])).rejects.toThrow(
          /may not change/,
        )

        await site.php(`update_post_meta(${foreign}, '_edit_lock', time() . ':1');`)
        await expect(cms.preview(actors.editor, update(foreign, { title: 'x' }), [])).rejects.toThrow(
          'admin has this post open',
        )
      })

      test('a new record as a draft', async () => {
        const write = {
          kind: 'create',
          table: 'page',
          pid: 0,
          fields: { title: 'New', status: 'publish' },
        } as Write

        const outcome = await make(actors.editor, write)

        expect(outcome).toMatchObject({
          state: 'done',
          table: 'page',
          record: { hidden: true, fields: { status: 'draft' } },
        })
      })
    })

    describe('takes back', () => {
      test('a turn, and nothing more when asked again', async () => {
        const uid = await post({ post_title: 'Before', post_excerpt: 'e', post_status: 'publish' })
        const run = randomUUID()
        await make(actors.editor, update(uid, { title: 'After' }), randomUUID(), run)
        await make(actors.editor, update(uid, { title: 'Later', excerpt: 'f' }), randomUUID(), run)

        expect(await cms.changesOf(actors.editor, run)).toBe(2)
        expect(await cms.undo(actors.editor, run, Date.now())).toEqual({
          undone: [{ table: 'post', uid }],
          conflicts: [],
        })
        expect(await cms.undo(actors.editor, run, Date.now())).toEqual({ undone: [], conflicts: [] })
        const { fields } = (await cms.record(actors.editor, 'post', uid)) ?? {}
        expect(fields).toMatchObject({ title: 'Before', excerpt: 'e' })
      })

      test('not what a person has changed since', async () => {
        const uid = await post({ post_title: 'Before', post_status: 'publish' })
        const run = randomUUID()
        await make(actors.editor, update(uid, { title: 'After' }), randomUUID(), run)
        await site.php(`wp_update_post(array('ID' => ${uid}, 'post_title' => 'By hand'));`)

        expect(await cms.undo(actors.editor, run, Date.now())).toEqual({
          undone: [],
          conflicts: [{ table: 'post', uid, reason: 'It was changed since.' }],
        })
      })

      test('a new record into the bin', async () => {
        const run = randomUUID()
        const write = { kind: 'create', table: 'post', pid: 0, fields: { title: 'New' } } as Write
        const outcome = await make(actors.editor, write, randomUUID(), run)
        const { uid } = outcome as { uid: number }

        await cms.undo(actors.editor, run, Date.now())

        expect(await site.php(`echo get_post_status(${uid});`)).toBe('trash')
      })
    })

    test('leaves nothing behind when it is deleted', async () => {
      const left = await site.php(`
      require_once ABSPATH . 'wp-admin/includes/plugin.php';
      deactivate_plugins('backend-ai-chat/backend-ai-chat.php');
      uninstall_plugin('backend-ai-chat/backend-ai-chat.php');
      global $wpdb;
      echo json_encode([
        $wpdb->get_col("SHOW TABLES LIKE '%aic%'"),
        $wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%aic%'"),
        $wpdb->get_col("SELECT meta_id FROM $wpdb->postmeta WHERE meta_key LIKE '%aic%'"),
        wp_next_scheduled('aic_clean'),
      ]);`)

      expect(JSON.parse(left)).toEqual([[], [], [], false])
    })
  })
