import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import { ask } from '../../../core/cms/bridge/line.ts'
import { newCode, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import type { Change } from '../../../core/cms/change.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { look } from '../../../core/cms/picture.ts'
import { runKit } from '../../../scripts/connect/kit/kit-run.ts'
import { type Undoing, undoing } from '../../../scripts/connect/kit/undoing.ts'
import { image } from '../../../test/support/documents.ts'
import { type PairedSite, startPairedSite } from '../../../test/support/paired-site.ts'
import { brief, makeChange, putChange, showChange } from '../../../test/support/put.ts'
import { enterAdmin, formWith } from '../../../test/support/wp-admin.ts'
import { missing, packaged, type Site, versionIn } from '../site/site.ts'

/** The folder of the WordPress that is tried. */
const from = process.env.WORDPRESS || packaged

let paired: PairedSite
let folder: string
let code: string
let site: Site
let cms: Cms
let runs: Undoing
let actors: Record<keyof Site['users'], Actor>

/** Makes a post by PHP, and answers its id. */
const post = async (fields: object) =>
  Number(await site.php(`echo wp_insert_post(json_decode('${JSON.stringify(fields)}', true));`))

/** Adds a plugin that runs PHP when WordPress starts, and answers its file. */
async function addPlugin(name: string, php: string): Promise<string> {
  const file = join(folder, `site/wp-content/mu-plugins/${name}.php`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `<?php add_action('init', function () { ${php} });`)
  return file
}

/** Answers PHP that makes the database fail at each query that begins so. */
const broken = (query: string) =>
  `add_filter('query', fn ($query) => str_starts_with($query, '${query}') ? 'NO QUERY' : $query);`

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`

const line = () => paired.line
const update = (uid: number, fields: Record<string, unknown>, table = 'post'): Change =>
  ({ table, uid, fields }) as Change

/** Previews and makes a write, as an approval does. */
async function make(
  actor: Actor,
  write: Change,
  key: string = randomUUID(),
  correlationId: string = randomUUID(),
) {
  const { versions } = await showChange(cms, actor, write, [])
  return putChange(cms, actor, write, { key, correlationId, versions, now: Date.now() })
}

describe.skipIf(missing.length > 0)('WordPress', () => {
  beforeAll(async () => {
    paired = await startPairedSite(from)
    const { actors: known } = paired
    ;({ folder, code, site } = paired)
    actors = known
    runs = undoing(paired.cms)
    cms = runs.cms
  }, 120_000)
  afterAll(() => paired?.stop())

  test('says who a user is', () => {
    expect([actors.admin, actors.editor]).toEqual([
      { uid: 1, username: 'admin', name: 'admin', isAdmin: true, groups: ['administrator'], lang: 'en_US' },
      { uid: 2, username: 'editor', name: 'Editor', isAdmin: false, groups: ['editor'], lang: 'en_US' },
    ])
  })

  test('says what it has', async () => {
    const { types, writes, addresses, tree, name, version } = await cms.capabilities()

    const posts = ['post', 'page']
    expect({ name, version, tree, addresses, writes, types: types.map((type) => type.name) }).toEqual({
      name: 'WordPress',
      version: versionIn(from),
      tree: { pages: 'page', content: null },
      addresses: { origins: [site.origin], types: [...posts, 'attachment'] },
      writes: {
        create: posts,
        state: posts,
        times: posts,
        place: [],
        bin: posts,
        remove: posts,
        restore: posts,
      },
      types: [...posts, 'attachment', 'comment'],
    })
  })

  test('keeps every sentence of the protocol, and nothing of the kit is left', {
    timeout: 180_000,
  }, async () => {
    const users = { writer: site.users.admin, limited: site.users.author }
    const { results, lacks, left } = await runKit(cms, users, { line: line() })

    const others = results.filter(({ end }) => end !== 'kept')
    expect(others.map(({ capability, end }) => [capability, end])).toEqual([
      ['parts', 'leftOut'],
      ['place', 'leftOut'],
      ['place', 'leftOut'],
      ['place', 'leftOut'],
      ['translate', 'leftOut'],
    ])
    expect(
      await site.php("echo count(get_posts(array('post_status' => 'trash', 'post_type' => 'any')));"),
    ).toBe('0')
    expect([lacks, left]).toEqual([['home', 'locales', 'abilities', 'parts', 'place'], []])
  })

  test.each([
    ['an unknown key', { keyId: '0'.repeat(16) }, 'No key has this id'],
    ['another secret', { secret: 'f'.repeat(64) }, 'does not belong to this request'],
  ])('refuses %s', async (_what, wrong, reason) => {
    await expect(ask({ ...line(), ...wrong }, 'languages', 0, {})).rejects.toMatchObject({
      message: expect.stringContaining(reason),
    })
  })

  test.each([
    ['page', { uid: 1, colour: 'red' }, 'page has no member colour.'],
    [
      'put',
      { put: { table: 'post', uid: 1, place: { pid: 0, colour: 'red' } }, dry: true, versions: [] },
      'put.put.place has no member colour.',
    ],
  ])('refuses a question of %s with a member that it does not know', async (operation, question, said) => {
    await expect(ask(line(), operation, site.users.editor, question)).rejects.toThrow(said)
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
        page: (await cms.page(actor, { uid })) !== undefined,
        record: (await cms.record(actor, { table: 'post', uid })) !== undefined,
        history: (await cms.history(actor, { table: 'post', uid, limit: 5 })) !== undefined,
        content: (await cms.pageContent(actor, { uid })) !== undefined,
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

    test('the records that contain a text that begins with a hyphen, and not the others', async () => {
      const text = `-${randomUUID().slice(0, 8)}`
      const uid = await post({ post_title: `Sale ${text}` })
      const found = await cms.search(actors.editor, { text, table: 'post', limit: 5 })

      expect(found.map((record) => [record.uid, record.title])).toEqual([[uid, `Sale ${text}`]])
    })

    test('a post by its slug, and a picture by its alternative text, word by word', async () => {
      const word = `w${randomUUID().slice(0, 8)}`
      const uid = await post({ post_title: 'Plain', post_name: `${word}-of-oak` })
      const picture = Number(
        await site.php(`$id = wp_insert_attachment(array('post_title' => 'img', 'post_mime_type' => 'image/png'));
          update_post_meta($id, '_wp_attachment_image_alt', 'A ${word} 100% of oak'); echo $id;`),
      )
      const found = async (text: string) =>
        (await cms.search(actors.editor, { text, limit: 5 })).map((record) => record.uid)

      expect((await found(`oak ${word}`)).toSorted()).toEqual([uid, picture].toSorted())
      expect(await found(`${word} 100%`)).toEqual([picture])
      expect(await found(`${word} 100_`)).toEqual([])
      expect(await found(`${word} beech`)).toEqual([])
    })

    test('every post of a site that has more than PHP can hold', async () => {
      const [total, last] = JSON.parse(
        await site.php(`global $wpdb; ini_set('memory_limit', '48M'); wp_set_current_user(${site.users.editor});
          $before = AIC_Reader::list('post', null, 1, 0)['total'];
          $wpdb->query("INSERT INTO $wpdb->posts (post_type, post_status, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
            SELECT 'post', 'publish', CONCAT('Many ', seq), REPEAT('x', 12000), '', '', '', '' FROM seq_1_to_5100");
          wp_cache_flush();
          $found = AIC_Reader::list('post', null, 5, $before + 5099);
          $wpdb->query("DELETE FROM $wpdb->posts WHERE post_title LIKE 'Many %'");
          echo json_encode([$found['total'] - $before, array_column($found['records'], 'title')]);`),
      )

      expect([total, last]).toEqual([5100, ['Many 5100']])
    })

    test('records in a state of another plugin in lists and in a search', async () => {
      const plugin = await addPlugin('archive', "register_post_status('archived', array('public' => true));")
      const title = `Kept${randomUUID().slice(0, 8)}`
      const uid = await post({ post_title: title, post_status: 'archived', post_type: 'page' })
      const found = await cms.search(actors.editor, { text: title, limit: 5 })
      const list = await cms.list(actors.editor, { table: 'page', limit: 100, offset: 0 })
      await rm(plugin)

      expect(
        [...found, ...(list?.records ?? [])].filter((it) => it.uid === uid).map((it) => it.title),
      ).toEqual([title, title])
    })

    test('comments by what the user reads of them, and not by the address of who wrote them', async () => {
      const on = await post({ post_title: 'Open', post_status: 'publish' })
      const more = { comment_author_email: 'nightjar@example.com', comment_author_IP: '203.0.113.77' }
      const comment = { comment_post_ID: on, comment_author: 'Kim', comment_content: 'Lovely', ...more }
      const uid = Number(
        await site.php(`echo wp_insert_comment(json_decode('${JSON.stringify(comment)}', true));`),
      )
      const found = async (text: string) =>
        (await cms.search(actors.author, { text, table: 'comment', limit: 5 })).map((record) => record.uid)

      expect([await found('lovely'), await found('kim')]).toEqual([[uid], [uid]])
      expect([await found('nightjar'), await found('203.0.113.77')]).toEqual([[], []])
    })

    test('log and users to administrators alone', async () => {
      await site.php("trigger_error('A warning', E_USER_WARNING);")
      const staff = Object.keys(site.users).filter((role) => role !== 'subscriber')
      expect((await cms.users(actors.admin)).map(({ username }) => username)).toEqual(staff)
      expect((await cms.log(actors.admin, { level: 'debug', limit: 5 })).length).toBeGreaterThan(0)
      expect([
        await cms.users(actors.editor),
        await cms.log(actors.editor, { level: 'debug', limit: 5 }),
      ]).toEqual([[], []])
    })

    test('the addresses of a record, of a draft too, and of a file', async () => {
      const above = await post({ post_title: 'Home', post_type: 'page', post_status: 'publish' })
      const page = { post_title: 'Lamps', post_type: 'page', post_parent: above }
      const [uid, draft] = [await post({ ...page, post_status: 'publish' }), await post(page)]
      const file = await post({ post_type: 'attachment', post_title: 'Plan', post_status: 'inherit' })
      await site.php(`update_post_meta(${file}, '_wp_attached_file', '2026/plan.pdf');`)
      const of = async (table: string, id: number) =>
        (await cms.record(actors.editor, { table, uid: id }))?.addresses

      expect(await of('page', uid)).toEqual(['/home/lamps/', `/?page_id=${uid}`])
      expect((await cms.page(actors.editor, { uid }))?.addresses).toEqual(await of('page', uid))
      expect(await of('page', draft)).toEqual([`/?page_id=${draft}`])
      expect(await of('attachment', file)).toEqual([
        '/plan/',
        `/?attachment_id=${file}`,
        '/wp-content/uploads/2026/plan.pdf',
      ])
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
        post_author: site.users.author,
      })
      const write = update(uid, { content: paragraph('139 EUR') })
      const { changes } = await showChange(cms, actors.editor, write, [])
      const key = randomUUID()
      const run = randomUUID()

      const first = await make(actors.editor, write, key, run)
      const again = await makeChange(cms, actors.editor, write, {
        key,
        correlationId: run,
        versions: [],
        now: Date.now(),
      })

      expect(changes).toEqual([
        { field: 'content', label: 'Content', before: paragraph('149 EUR'), after: paragraph('139 EUR') },
      ])
      expect(brief(first)).toMatchObject({ state: 'done', table: 'post', uid, changed: ['content'] })
      expect(again).toMatchObject({ state: 'done', uid, version: (first as { version: string }).version })
      const history = await cms.history(actors.editor, { table: 'post', uid, limit: 5 })
      expect(
        history?.map(({ correlationId, user, changes }) => [correlationId, user, changes[0]?.after]),
      ).toEqual([
        [run, 'Editor', paragraph('139 EUR')],
        [null, 'Author', 'Aurora'],
      ])
    })

    test.each(['COMMIT', 'UPDATE `wp_aic_keys`'])('nothing if the database fails at %s', async (failing) => {
      const uid = await post({ post_title: 'Kept', post_status: 'draft' })
      const { versions } = await showChange(cms, actors.editor, update(uid, { title: 'Lost' }), [])
      const asked = { key: randomUUID(), correlationId: randomUUID(), versions, now: Date.now() }
      const plugin = await addPlugin('failing', broken(failing))
      const answered = putChange(cms, actors.editor, update(uid, { title: 'Lost' }), asked)
      await expect(answered).rejects.toMatchObject({ code: 'cms.unavailable' })
      await rm(plugin)

      expect(await cms.settle(actors.editor, { key: asked.key })).toEqual({ state: 'void' })
      expect(await site.php(`echo get_post(${uid})->post_title;`)).toBe('Kept')
    })

    test('once, and says nothing of it while the database does not', async () => {
      const uid = await post({ post_title: 'Before', post_status: 'draft' })
      const key = randomUUID()
      await make(actors.editor, update(uid, { title: 'After' }), key)
      const plugin = await addPlugin('failing', broken('SELECT outcome'))
      await expect(cms.settle(actors.editor, { key })).rejects.toMatchObject({ code: 'cms.unavailable' })
      await rm(plugin)

      expect(await cms.settle(actors.editor, { key })).toMatchObject({ state: 'done', uid })
    })

    test('a history without the autosave of a form, which nobody has saved', async () => {
      const uid = await post({ post_title: 'Oak', post_status: 'publish' })
      await make(actors.editor, update(uid, { title: 'Big oak' }))
      const revision = await site.php(
        `wp_set_current_user(${site.users.author}); echo _wp_put_post_revision(array('post_title' => 'Typed') + get_post(${uid}, ARRAY_A), true);`,
      )

      const history = await cms.history(actors.editor, { table: 'post', uid, limit: 5 })
      expect(history?.flatMap(({ changes }) => changes).map(({ after }) => after)).not.toContain('Typed')
      expect(Number(revision)).toBeGreaterThan(uid)
      expect(await cms.record(actors.editor, { table: 'post', uid, revision })).toBeUndefined()
    })

    test('a title, and leaves a record without a category so', async () => {
      const uid = await post({ post_title: 'Bare', post_status: 'publish' })
      await site.php(`wp_set_object_terms(${uid}, array(), 'category');`)

      const outcome = await make(actors.editor, update(uid, { title: 'Still bare' }))

      expect(brief(outcome)).toMatchObject({ state: 'done', changed: ['title'] })
      expect((await cms.record(actors.editor, { table: 'post', uid }))?.fields.category).toEqual([])
    })

    test('a new post, whose default category the preview names', async () => {
      const planned = await site.php(
        `wp_set_current_user(${site.users.editor});
         $put = array('table' => 'post', 'uid' => null, 'place' => array('pid' => 0), 'fields' => array('title' => 'New'));
         $plan = AIC_Put::run(array('put' => $put, 'key' => null, 'correlationId' => 'a-run', 'versions' => array()));
         echo json_encode($plan['after']['record']['fields']['category']);`,
      )

      expect(JSON.parse(planned)).toEqual(['uncategorized'])
    })

    test('the bin, and leaves a record without a category so, there and back', async () => {
      const uid = await post({ post_title: 'Bare in the bin', post_status: 'publish' })
      await site.php(`wp_set_object_terms(${uid}, array(), 'category');`)
      const terms = () => site.php(`echo count(wp_get_post_terms(${uid}, 'category'));`)

      await make(actors.editor, { table: 'post', uid, bin: true })
      expect(await terms()).toBe('0')
      await make(actors.editor, { table: 'post', uid, bin: false })
      expect(await terms()).toBe('0')
    })

    test('a page whose template the theme no longer has, and keeps that template', async () => {
      const uid = await post({ post_title: 'Old', post_type: 'page', post_status: 'publish' })
      await site.php(`update_post_meta(${uid}, '_wp_page_template', 'gone.php');`)

      const outcome = await make(actors.editor, update(uid, { title: 'New' }, 'page'))

      expect(brief(outcome)).toMatchObject({ state: 'done', changed: ['title'] })
      expect(await site.php(`echo get_post_meta(${uid}, '_wp_page_template', true);`)).toBe('gone.php')
    })

    test('a date before 1970, and shows it', async () => {
      const uid = await post({
        post_title: 'Founded',
        post_status: 'publish',
        post_date: '1965-03-01 10:00:00',
      })
      const date = async () => (await cms.record(actors.editor, { table: 'post', uid }))?.fields.date
      const before = await date()

      await make(actors.editor, update(uid, { date: '1961-08-13T06:00:00Z' }))

      expect([before, await date()]).toEqual(['1965-03-01T10:00:00.000Z', '1961-08-13T06:00:00.000Z'])
    })

    test('fields without a history, and leaves what a person wrote to that person', async () => {
      const uid = await post({ post_title: 'By hand', post_status: 'publish' })
      await site.php(
        `wp_set_current_user(1); wp_update_post(array('ID' => ${uid}, 'post_content' => 'Hers'));
         wp_insert_term('Stools', 'category');`,
      )

      await make(actors.editor, update(uid, { category: ['stools'] }))

      const history = await cms.history(actors.editor, { table: 'post', uid, limit: 5 })
      expect(history?.map(({ correlationId, user }) => [correlationId, user])).toEqual([[null, 'admin']])
    })

    test('the proposal shows what kses leaves of it', async () => {
      const uid = await post({ post_title: 'Own', post_status: 'draft', post_author: 3 })

      const { changes, notes } = await showChange(
        cms,
        actors.author,
        update(uid, { content: '<p onclick="x()">Hi</p><script>alert(1)</script>' }),
        [],
      )

      expect(changes.map(({ after }) => after)).toEqual(['<p>Hi</p>alert(1)'])
      expect(notes).toEqual(['WordPress also removes: <script>.'])
    })

    test('state, terms, meta and medium, each by its own rules', async () => {
      const uid = await post({ post_title: 'Fields', post_status: 'draft', post_author: 3 })
      await site.php("wp_insert_term('Lamps', 'category');")

      expect(
        await make(actors.author, update(uid, { category: ['Lamps'], status: 'publish' })),
      ).toMatchObject({
        state: 'done',
        after: { record: { hidden: false, fields: { category: ['lamps'], status: 'publish' } } },
      })
    })

    test.each([
      ['a field that is not there', 'editor', { colour: 'red' }, /There is no field colour/],
      ['a state that the user may not give', 'contributor', { status: 'publish' }, /draft, pending/],
      ['a term that is not there', 'editor', { category: ['nowhere'] }, /There is no category nowhere/],
      ['a page above that is not there', 'editor', { parent: -1 }, /There is no page -1/, 'page'],
      ['a date in words', 'editor', { date: 'tomorrow' }, /takes a time in UTC/],
      ['half a date', 'editor', { date: '2026' }, /takes a time in UTC/],
      ['no date on what is public', 'editor', { status: 'publish', date: null }, /Only a draft has no date/],
      [
        'a schedule in the past',
        'editor',
        { status: 'future', date: '2001-01-01T00:00:00Z' },
        /a date to come/,
      ],
    ] as const)('not %s', async (_what, role, fields, said, table: string = 'post') => {
      const by = { post_status: 'draft', post_author: site.users[role] }
      const uid = await post({ post_title: 'Refused', post_type: table, ...by })

      const refusal = showChange(cms, actors[role], update(uid, fields, table), [])

      await expect(refusal).rejects.toThrow(ToolError)
      await expect(refusal).rejects.toThrow(said)
    })

    test('not the post of another, nor one that another person has open', async () => {
      const foreign = await post({ post_title: 'Foreign', post_status: 'publish', post_author: 2 })
      await expect(showChange(cms, actors.author, update(foreign, { title: 'x' }), [])).rejects.toThrow(
        /may not change/,
      )

      await site.php(`update_post_meta(${foreign}, '_edit_lock', time() . ':1');`)
      await expect(showChange(cms, actors.editor, update(foreign, { title: 'x' }), [])).rejects.toThrow(
        'admin has this post open',
      )
    })

    test('what a plugin lets pass, and says the words of one that does not', async () => {
      const uid = await post({ post_title: 'Nice', post_status: 'publish', post_content: 'Once' })
      const plugin = await addPlugin(
        'strict',
        `add_action('save_post', function ($id, $post) {
          echo 'Saved!';
          if ($post->post_title === 'Thrown') { throw new Exception('Titles must be nice.'); }
          if ($post->post_title === 'Ended') { wp_die('<p>Titles must be <b>short</b>.</p>'); }
        }, 10, 2);`,
      )
      const refusal = (title: string) =>
        make(actors.editor, update(uid, { title })).then(brief, (error: unknown) => String(error))

      const thrown = [await refusal('Thrown'), await refusal('Ended')]
      const passed = await refusal('Loud')
      await rm(plugin)

      expect(thrown).toEqual([
        'ToolError: WordPress refused it: Titles must be nice.',
        'ToolError: WordPress refused it: Titles must be short.',
      ])
      expect(passed).toMatchObject({ state: 'done', changed: ['title'] })
      expect(await site.php(`echo get_post(${uid})->post_title;`)).toBe('Loud')
    })

    test.each([
      ['the state before', 'save_post'],
      ['the change', 'save_post_post'],
    ])('nothing where a plugin refuses %s, in the cache of WordPress neither', async (_, hook) => {
      const uid = await post({ post_title: 'Nice', post_status: 'publish' })

      const cached = await site.php(
        `wp_set_current_user(${site.users.editor});
         add_action('${hook}', fn() => throw new Exception('No.'));
         $put = array('table' => 'post', 'uid' => ${uid}, 'fields' => array('title' => 'Thrown'));
         $question = array('put' => $put, 'key' => '${randomUUID()}', 'correlationId' => 'a-run', 'versions' => array());
         try { AIC_Put::run($question); } catch (AIC_Refusal $error) { echo $error->getMessage(), ' '; }
         echo get_post(${uid})->post_title;`,
      )

      expect(cached).toBe('WordPress refused it: No. Nice')
    })

    test('a new record as a draft', async () => {
      const write = {
        uid: null,
        table: 'page',
        place: { pid: 0 },
        fields: { title: 'New', status: 'publish' },
      } as Change

      const outcome = await make(actors.editor, write)

      expect(outcome).toMatchObject({
        state: 'done',
        table: 'page',
        after: { record: { hidden: true, fields: { status: 'draft' } } },
      })
    })

    test('a new record only with the meta that the user may set', async () => {
      const meta = JSON.stringify({ single: true, type: 'string', show_in_rest: true })
      const plugin = await addPlugin(
        'sponsored',
        `$meta = json_decode('${meta}', true);
          register_post_meta('post', 'sponsored', $meta + ['auth_callback' => fn() => current_user_can('manage_options')]);
          register_post_meta('post', 'own', $meta + ['auth_callback' => fn($may, $key, $id) => current_user_can('edit_post', $id)]);`,
      )
      const write = {
        uid: null,
        table: 'post',
        place: { pid: 0 },
        fields: { title: 'Ad', 'meta.sponsored': 'yes' },
      }
      const made = (actor: Actor) => make(actor, write as Change).catch((error: unknown) => String(error))
      const shown = (actor: Actor) =>
        showChange(cms, actor, write as Change, []).then(
          () => 'shown',
          (error: unknown) => String(error),
        )

      const [asAuthor, asAdmin] = [await shown(actors.author), await made(actors.admin)]
      const without = {
        ...write,
        fields: { title: 'A copy', 'meta.sponsored': null, 'meta.own': 'mine' },
      } as Change
      const copied = await make(actors.author, without)
      const stored = await site.php(
        "global $wpdb; echo json_encode($wpdb->get_col(\"SELECT meta_value FROM $wpdb->postmeta WHERE meta_key IN ('sponsored', 'own') ORDER BY meta_id\"));",
      )
      await rm(plugin)

      expect(asAuthor).toContain('The field meta.sponsored cannot be changed by this user.')
      expect([asAdmin, copied]).toMatchObject([{ state: 'done' }, { state: 'done' }])
      expect(JSON.parse(stored)).toEqual(['yes', 'mine'])
    })

    test('a draft as changed now, also one with a later date or of another program', async () => {
      const made = ['2040-01-15T09:00:00.000Z', null].map(async (date) => {
        const fields = { title: 'Bench', date }
        const write: Change = { table: 'post', uid: null, place: { pid: 0 }, fields }
        return ((await make(actors.editor, write)) as { uid: number }).uid
      })
      const uids = [...(await Promise.all(made)), await post({ post_title: 'Chair' })]
      const ages = uids.map(async (uid) => {
        const record = await cms.record(actors.admin, { table: 'post', uid })
        return Math.abs(Date.now() - Date.parse(record?.changedAt ?? '')) < 60_000
      })

      expect(await Promise.all(ages)).toEqual([true, true, true])
    })

    test('a copy as a draft with all but the slug, and takes it into the bin', async () => {
      const fields = { post_content: paragraph('Oak.'), post_excerpt: 'e', post_status: 'publish' }
      const uid = await post({ post_title: 'Lamp', post_name: 'lamp-of-oak', ...fields })
      await site.php(`wp_set_object_terms(${uid}, array('uncategorized'), 'category');`)
      const copy: Change = { table: 'post', uid: null, copy: uid }
      const { label, changes } = await showChange(cms, actors.editor, copy, [])
      const run = randomUUID()

      const outcome = await make(actors.editor, copy, randomUUID(), run)
      const { uid: id } = outcome as { uid: number }

      expect([label, changes.map(({ field, after }) => [field, after])]).toEqual([
        'Lamp',
        [
          ['title', 'Lamp (copy)'],
          ['slug', ''],
          ['status', 'draft'],
        ],
      ])
      const of = async (it: number) => (await cms.record(actors.editor, { table: 'post', uid: it }))?.fields
      const differing = { title: 'Lamp (copy)', slug: '', status: 'draft', author: 'Editor' }
      expect(await of(id)).toEqual({ ...(await of(uid)), ...differing })
      expect(await runs.undo(actors.editor, run, Date.now())).toEqual({
        undone: [{ table: 'post', uid: id }],
        conflicts: [],
      })
      expect(await site.php(`echo get_post_status(${id});`)).toBe('trash')
    })

    test('a scheduled record in the bin to what WordPress makes of it when its time has passed', async () => {
      const date = { post_date: '2040-01-01 10:00:00', post_date_gmt: '2040-01-01 10:00:00' }
      const uid = await post({ post_title: 'Due', post_status: 'future', ...date })
      await site.php(
        `wp_trash_post(${uid}); global $wpdb;
         $wpdb->update($wpdb->posts, array('post_date' => '2026-01-01 10:00:00', 'post_date_gmt' => '2026-01-01 10:00:00'), array('ID' => ${uid}));`,
      )
      const restore: Change = { table: 'post', uid, bin: false }
      const { changes } = await showChange(cms, actors.editor, restore, [])

      const outcome = await make(actors.editor, restore)

      expect(changes.find(({ field }) => field === 'status')?.after).toBe('publish')
      expect(outcome).toMatchObject({ after: { record: { hidden: false, fields: { status: 'publish' } } } })
    })

    test.each([
      ['same', 'same-2'],
      ['', 'twice'],
    ])('a draft with the slug "%s" to one that is public at "%s", and back', async (slug, unique) => {
      await post({ post_title: 'Other', post_name: slug || 'other', post_status: 'publish' })
      const uid = await post({ post_title: 'Twice', post_name: slug, post_status: 'draft' })
      const publish: Change = { table: 'post', uid, state: { state: 'publish' } }
      const { changes } = await showChange(cms, actors.editor, publish, [])
      const run = randomUUID()

      await make(actors.editor, publish, randomUUID(), run)

      const shown = changes.map(({ field, before, after }) => [field, before, after])
      expect(shown.toSorted()).toEqual([
        ['slug', slug, unique],
        ['status', 'draft', 'publish'],
      ])
      const stored = () => site.php(`$it = get_post(${uid}); echo $it->post_name, ' ', $it->post_status;`)
      expect(await stored()).toBe(`${unique} publish`)
      expect((await runs.undo(actors.editor, run, Date.now())).conflicts).toEqual([])
      expect(await stored()).toBe(`${slug} draft`)
    })
  })

  describe('takes back', () => {
    test('categories', async () => {
      await site.php("wp_insert_term('Chairs', 'category');")
      const uid = await post({ post_title: 'Terms', post_status: 'draft', post_author: site.users.author })
      const terms = () =>
        site.php(`echo implode(' ', wp_get_post_terms(${uid}, 'category', ['fields' => 'slugs']));`)
      const before = await terms()
      const run = randomUUID()
      await make(actors.author, update(uid, { category: ['chairs'] }), randomUUID(), run)
      expect(await terms()).toBe('chairs')

      expect(await runs.undo(actors.author, run, Date.now())).toEqual({
        undone: [{ table: 'post', uid }],
        conflicts: [],
      })
      expect(await terms()).toBe(before)
    })

    test('a turn, and nothing more when asked again', async () => {
      const uid = await post({ post_title: 'Before', post_excerpt: 'e', post_status: 'publish' })
      const run = randomUUID()
      await make(actors.editor, update(uid, { title: 'After' }), randomUUID(), run)
      await make(actors.editor, update(uid, { title: 'Later', excerpt: 'f' }), randomUUID(), run)

      expect(await runs.countUndoable(actors.editor, run)).toBe(1)
      expect(await runs.undo(actors.editor, run, Date.now())).toEqual({
        undone: [{ table: 'post', uid }],
        conflicts: [],
      })
      expect(await runs.undo(actors.editor, run, Date.now())).toEqual({ undone: [], conflicts: [] })
      const { fields } = (await cms.record(actors.editor, { table: 'post', uid })) ?? {}
      expect(fields).toMatchObject({ title: 'Before', excerpt: 'e' })
    })

    test('an order below zero', async () => {
      const uid = await post({ post_title: 'First', post_type: 'page', menu_order: -3 })
      const run = randomUUID()
      await make(actors.editor, update(uid, { menu_order: 2 }, 'page'), randomUUID(), run)

      expect((await runs.undo(actors.editor, run, Date.now())).conflicts).toEqual([])
      expect(await site.php(`echo get_post(${uid})->menu_order;`)).toBe('-3')
    })

    test.each([
      ['the state of another plugin', 'author', 'archived', []],
      ['no such state for those who may not publish', 'contributor', 'draft', [expect.anything()]],
    ])('%s', async (_, role, state, conflicts) => {
      const plugin = await addPlugin('archive', "register_post_status('archived', array('public' => true));")
      const by = { post_author: site.users.author }
      const uid = await post({ post_title: 'Old', post_status: 'archived', ...by })
      const run = randomUUID()
      await make(actors.author, update(uid, { status: 'draft' }), randomUUID(), run)

      await site.php(`get_user_by('id', ${site.users.author})->set_role('${role}');`)
      const result = await runs.undo(actors.author, run, Date.now())
      await site.php(`get_user_by('id', ${site.users.author})->set_role('author');`)
      const stored = await site.php(`echo get_post_status(${uid});`)
      await rm(plugin)

      expect([result.conflicts, stored]).toEqual([conflicts, state])
    })

    test('a switch that was off, and takes a number for what it is', async () => {
      const meta = (type: string) => `array('single' => true, 'show_in_rest' => true, 'type' => '${type}')`
      const plugin = await addPlugin(
        'featured',
        `register_post_meta('post', 'featured', ${meta('boolean')}); register_post_meta('post', 'rank', ${meta('integer')});`,
      )
      const uid = await post({
        post_title: 'Seen',
        post_status: 'draft',
        meta_input: { featured: '', rank: 3 },
      })
      const fields = async () => (await cms.record(actors.editor, { table: 'post', uid }))?.fields
      const before = await fields()
      const run = randomUUID()
      const change = update(uid, { 'meta.featured': true, 'meta.rank': 3 })
      const { changes } = await showChange(cms, actors.editor, change, [])
      await make(actors.editor, change, randomUUID(), run)
      const { conflicts } = await runs.undo(actors.editor, run, Date.now())
      const after = await fields()
      await rm(plugin)

      expect(before).toMatchObject({ 'meta.featured': false, 'meta.rank': 3 })
      expect(changes.map(({ field }) => field)).toEqual(['meta.featured'])
      expect([conflicts, after]).toEqual([[], before])
    })

    test('a title that a draft did not have', async () => {
      const uid = await post({ post_title: '', post_excerpt: 'e', post_status: 'draft' })
      const run = randomUUID()
      await make(actors.editor, update(uid, { title: 'A title', excerpt: 'f' }), randomUUID(), run)

      expect(await runs.undo(actors.editor, run, Date.now())).toEqual({
        undone: [{ table: 'post', uid }],
        conflicts: [],
      })
      const { fields } = (await cms.record(actors.editor, { table: 'post', uid })) ?? {}
      expect(fields).toMatchObject({ title: '', excerpt: 'e' })
    })

    test('not what a person has changed since', async () => {
      const uid = await post({ post_title: 'Before', post_status: 'publish' })
      const run = randomUUID()
      await make(actors.editor, update(uid, { title: 'After' }), randomUUID(), run)
      await site.php(`wp_update_post(array('ID' => ${uid}, 'post_title' => 'By hand'));`)

      expect(await runs.undo(actors.editor, run, Date.now())).toEqual({
        undone: [],
        conflicts: [{ table: 'post', uid, reason: 'The record was changed again since.' }],
      })
    })

    test('nothing by which a user would publish who may not any more', async () => {
      const uid = await post({ post_title: 'Own', post_status: 'publish', post_author: site.users.author })
      const run = randomUUID()
      await make(actors.author, { table: 'post', uid, state: { state: 'draft' } }, randomUUID(), run)
      await site.php(`get_user_by('id', ${site.users.author})->set_role('contributor');`)

      const { undone, conflicts } = await runs.undo(actors.author, run, Date.now())
      await site.php(`get_user_by('id', ${site.users.author})->set_role('author');`)

      expect([undone, conflicts.length]).toEqual([[], 1])
      expect(await site.php(`echo get_post_status(${uid});`)).toBe('draft')
    })

    test('a new record into the bin', async () => {
      const run = randomUUID()
      const write = { uid: null, table: 'post', place: { pid: 0 }, fields: { title: 'New' } } as Change
      const outcome = await make(actors.editor, write, randomUUID(), run)
      const { uid } = outcome as { uid: number }

      await runs.undo(actors.editor, run, Date.now())

      expect(await site.php(`echo get_post_status(${uid});`)).toBe('trash')
    })

    test('what a check of the bridge made for good, and only by that check', async () => {
      const made = async (run: string) => {
        const write = { uid: null, table: 'post', place: { pid: 0 }, fields: { title: 'New' } } as Change
        return (await make(actors.editor, write, randomUUID(), run)) as { uid: number; version: string }
      }
      const own = `kit-${randomUUID()}`
      const [mine, others] = [await made(own), await made(`kit-${randomUUID()}`)]

      await runs.undo(actors.editor, own, Date.now())
      const options = { key: randomUUID(), correlationId: `${own}/undo`, now: Date.now() }
      const place = { table: 'post', uid: others.uid }
      await cms.put(actors.editor, {
        put: { ...place, remove: true },
        versions: [{ ...place, version: others.version }],
        ...options,
      })

      expect(await site.php(`echo json_encode(get_post_status(${mine.uid}));`)).toBe('false')
      expect(await site.php(`echo get_post_status(${others.uid});`)).toBe('trash')
      await site.php(`wp_delete_post(${others.uid}, true);`)
    })
  })

  describe('holds', () => {
    const open = async (uid: number) => {
      const admin = await enterAdmin(site, 'editor')
      return {
        admin,
        form: formWith('aic_seen', await admin.get(`/wp-admin/post.php?post=${uid}&action=edit`)),
      }
    }
    const alt = (uid: number) => site.php(`echo get_post_meta(${uid}, '_wp_attachment_image_alt', true);`)
    const attachment = async () => {
      const uid = await post({
        post_type: 'attachment',
        post_title: 'Lamp',
        post_status: 'inherit',
        post_mime_type: 'image/png',
      })
      await site.php(
        `update_post_meta(${uid}, '_wp_attached_file', 'lamp.png'); update_post_meta(${uid}, '_wp_attachment_image_alt', 'A lamp');`,
      )
      return uid
    }

    test('a form that was opened before a change, until its person decides', async () => {
      const uid = await attachment()
      const { admin, form } = await open(uid)
      await make(actors.editor, update(uid, { alt: 'An oak lamp' }, 'attachment'))

      const held = await admin.post('/wp-admin/post.php', { ...form, post_title: `Lamp & "Co" &amp;\n'x'` })

      expect(held.status).toBe(409)
      expect(held.text).toContain('The assistant has changed this since you opened it. Nothing was saved.')
      expect(await alt(uid)).toBe('An oak lamp')
      const again = formWith('aic_seen', held)
      expect(again).toEqual({ ...form, post_title: `Lamp & "Co" &amp;\n'x'`, aic_seen: again.aic_seen })
      expect((await admin.post('/wp-admin/post.php', again)).status).toBe(302)
      expect(await alt(uid)).toBe('A lamp')
    })

    test('no form that has seen the last change', async () => {
      const uid = await attachment()
      await make(actors.editor, update(uid, { alt: 'An oak lamp' }, 'attachment'))
      const { admin, form } = await open(uid)

      const saved = await admin.post('/wp-admin/post.php', { ...form, post_title: 'Lamp 2' })

      expect(saved.status).toBe(302)
      expect(await site.php(`echo get_post(${uid})->post_title;`)).toBe('Lamp 2')
    })

    test('Quick Edit and the autosave of a form', async () => {
      const uid = await post({ post_title: 'Row', post_status: 'draft', post_author: site.users.editor })
      const admin = await enterAdmin(site, 'editor')
      const list = await admin.get('/wp-admin/edit.php?post_status=draft')
      const seen = list.text.match(new RegExp(`<div class="aic_seen">(${uid}:[^<]*)<`))?.[1] ?? ''
      const beat = async () => {
        const nonce = list.text.match(/heartbeatSettings = \{"nonce":"([^"]+)"/)?.[1] ?? ''
        const answer = await admin.post('/wp-admin/admin-ajax.php', {
          action: 'heartbeat',
          _nonce: nonce,
          screen_id: 'post',
          'data[aic_seen]': seen,
        })
        return JSON.parse(answer.text).aic_changed
      }
      expect(await beat()).toBe(undefined)
      await make(actors.editor, update(uid, { title: 'Changed' }))

      const saved = await admin.post('/wp-admin/admin-ajax.php', {
        ...formWith('_inline_edit', list),
        action: 'inline-save',
        post_ID: String(uid),
        post_title: 'Row',
        post_type: 'post',
        aic_seen: seen,
      })

      expect(saved).toEqual({
        status: 200,
        text: 'The assistant has changed this since you opened it. Nothing was saved. Reload the page to see the change.',
      })
      expect(await beat()).toBe(true)
      expect(await site.php(`echo get_post(${uid})->post_title;`)).toBe('Changed')
    })
  })

  describe('in wp-admin', () => {
    test('finds its settings from the list of plugins, which says what is missing', async () => {
      const admin = await enterAdmin(site, 'admin')
      const address = '/wp-admin/options-general.php?page=backend-ai-chat-settings'
      const there = await admin.get('/wp-admin/plugins.php')
      await site.php("update_option(AIC_Pairing::CURRENT, '');")
      const missing = await admin.get('/wp-admin/plugins.php')
      await site.php(`update_option(AIC_Pairing::CURRENT, '${code}');`)

      expect(there.text).toContain(`${address}">Settings</a>`)
      expect(there.text).not.toContain('is not connected with a stage yet')
      expect(missing.text).toContain('Backend AI Chat is not connected with a stage yet.')
    })

    test('keeps what is a code, and says once what it did', async () => {
      const admin = await enterAdmin(site, 'admin')
      const address = '/wp-admin/options-general.php?page=backend-ai-chat-settings'
      const sent = async (value: string) => {
        const form = formWith('aic_pairing', await admin.get(address))
        await admin.post('/wp-admin/options.php', { ...form, aic_pairing: value })
        const { text } = await admin.get(`${address}&settings-updated=true`)
        const said = /This is no pairing code|The code was saved|The connection was ended/g
        return [text.match(said), await site.php('echo get_option(AIC_Pairing::CURRENT);')]
      }

      expect(await sent('rubbish')).toEqual([['This is no pairing code'], code])
      expect(await sent('')).toEqual([['The connection was ended'], ''])
      expect(await sent(` ${code} `)).toEqual([['The code was saved'], code])
    })

    test('sends the page of a user further statements, and only that page', async () => {
      const admin = await enterAdmin(site, 'editor')
      const { text } = await admin.get('/wp-admin/')
      const [, found = ''] = text.match(/data-session-url="([^"]+)"/) ?? []
      const { pathname, search } = new URL(found.replaceAll('&amp;', '&'))
      const asked = async (query: string) => (await admin.post(pathname + query, {})).status

      const { token } = JSON.parse((await admin.post(pathname + search, {})).text)
      const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
      expect(claims).toMatchObject({ iss: line().keyId, aud: 'ai-chat', sub: String(site.users.editor) })
      expect(await asked('?action=aic_statement&_wpnonce=0123456789')).toBe(403)
      expect((await fetch(site.origin + pathname + search, { method: 'POST' })).status).toBe(400)
    })

    test.each([
      ['de_AT', 'Verbindungscode', 'KI-Chat'],
      ['fr_CA', 'Code de liaison', 'Chat IA'],
    ])('speaks %s', async (locale, label, name) => {
      await site.php(`update_user_meta(1, 'locale', '${locale}');`)
      const page = await (await enterAdmin(site, 'admin')).get(
        '/wp-admin/options-general.php?page=backend-ai-chat-settings',
      )
      await site.php("delete_user_meta(1, 'locale');")

      expect(page.text).toContain(`>${label}<`)
      expect(page.text).toContain(`"AI Chat":["${name}"]`)
    })

    test('says that the stage cannot be reached, and what to do where a browser does not load it', async () => {
      const admin = await enterAdmin(site, 'admin')
      const settings = await admin.get('/wp-admin/options-general.php?page=backend-ai-chat-settings')
      const full = await admin.get('/wp-admin/admin.php?page=backend-ai-chat')

      expect(settings.text).toContain('The stage cannot be reached from this server')
      expect(full.text).toMatch(/id="aic-module"><p class="aic-blocked">The chat cannot be loaded from http/)
    })

    test('shows the button on the site to those who edit, with the page as context', async () => {
      const uid = await post({ post_title: 'Seen', post_type: 'page', post_status: 'publish' })
      const path = `/?page_id=${uid}`
      const [editor, subscriber] = await Promise.all(
        ['editor', 'subscriber'].map((it) => enterAdmin(site, it)),
      )
      const slug = new URL(await site.php(`echo get_permalink(${uid});`)).pathname
      const page = await editor?.get(slug)

      expect(page?.text).toContain('wp-admin-bar-backend-ai-chat')
      const [tag = ''] = page?.text.match(/<script[^>]*embed\.js[^>]*>/) ?? []
      expect(tag.match(/data-(?:page|table|title)="[^"]*"/g)).toEqual([
        `data-page="${uid}"`,
        'data-title="Seen"',
      ])
      expect(page?.text).not.toContain('data-statement')
      expect((await subscriber?.get(slug))?.text).not.toContain('backend-ai-chat')
      expect(await (await fetch(site.origin + path)).text()).not.toContain('backend-ai-chat')
    })
  })

  test.each([
    ['in its editor', (uid: number) => `/wp-admin/post.php?post=${uid}&action=edit`],
    ['on the site', (uid: number) => `/?p=${uid}`],
  ])('names the type of an open record that is no page, %s', async (_, pathOf) => {
    const uid = await post({ post_title: 'News', post_type: 'post', post_author: site.users.editor })
    const { text } = await (await enterAdmin(site, 'editor')).get(pathOf(uid))

    const [tag = ''] = text.match(/<script[^>]*embed\.js[^>]*>/) ?? []
    expect(tag.match(/data-(?:page|table|title)="[^"]*"/g)).toEqual([
      `data-page="${uid}"`,
      'data-table="post"',
      'data-title="News"',
    ])
  })

  test('the key of a code that was replaced ends as soon as the stage uses the new one, or after a day', async () => {
    const other = newCode('http://127.0.0.1:3000')
    const pairing = pairingOf(other) as NonNullable<ReturnType<typeof pairingOf>>
    const asks = (keyId: string, secret: string) =>
      ask({ ...line(), keyId, secret }, 'languages', 0, {}).then(
        () => 'answers',
        () => 'refuses',
      )
    const old = () => asks(line().keyId, line().secret)
    await site.php(`update_option(AIC_Pairing::CURRENT, '${other}');`)

    const first = [await old(), await old()]
    await asks(pairing.keyId, pairing.bridgeKey)
    const then = await old()
    await site.php(`update_option(AIC_Pairing::CURRENT, '${code}');`)
    await site.php("update_option('_transient_timeout_aic_pairing_previous', time() - 1);")
    const late = await asks(pairing.keyId, pairing.bridgeKey)

    expect([first, then, late, await old()]).toEqual([
      ['answers', 'answers'],
      'refuses',
      'refuses',
      'answers',
    ])
  })

  test('answers the stage where another plugin closes REST to strangers', async () => {
    const plugin = await addPlugin(
      'closed',
      "add_filter('rest_authentication_errors', fn($result) => is_user_logged_in() ? $result : new WP_Error('rest_not_logged_in', 'You are not logged in.', array('status' => 401)), 99);",
    )

    const stranger = await fetch(`${site.base}/wp/v2/posts`)
    const stage = await ask(line(), 'languages', 0, {})
    const unsigned = await fetch(`${site.base}/aic/v2/languages`, { method: 'POST', body: '{}' })
    await rm(plugin)

    expect([stranger.status, stage]).toEqual([401, []])
    expect([unsigned.status, await unsigned.json()]).toMatchObject([
      401,
      { error: { code: 'request.unsigned' } },
    ])
  })

  test('in a network, a user of another site is no user here, and logs are for its administrators alone', async () => {
    const config = join(folder, 'site/wp-config.php')
    const single = await readFile(config, 'utf8')
    const { host } = new URL(site.origin)
    await site.php(`require_once ABSPATH . 'wp-admin/includes/upgrade.php';
        foreach ($wpdb->tables('ms_global') as $name => $table) { $wpdb->$name = $table; }
        install_network(); populate_network(1, '${host}', 'admin@example.com', 'Network', '/');`)
    const constants = {
      MULTISITE: true,
      SUBDOMAIN_INSTALL: false,
      DOMAIN_CURRENT_SITE: host,
      PATH_CURRENT_SITE: '/',
    }
    const lines = Object.entries(constants).map(
      ([name, value]) => `define('${name}', ${JSON.stringify(value)});`,
    )
    await writeFile(config, single.replace('$table_prefix', `${lines.join('\n')}\n$table_prefix`))
    const stranger = Number(await site.php("echo wp_create_user('stranger', 'demo', 's@example.com');"))
    await site.php(`remove_user_from_blog(${stranger}, 1);`)

    const users = [await cms.user(stranger), await cms.user(site.users.author), await cms.user(1)]
    const asked = ask(line(), 'tables', stranger, {})

    expect(users.map((user) => user?.username)).toEqual([undefined, 'author', 'admin'])
    await expect(asked).rejects.toThrow('access.denied')

    await site.php(
      `wp_update_user(['ID' => ${site.users.editor}, 'role' => 'administrator']); trigger_error('Of another site', E_USER_WARNING);`,
    )
    const ofSite = await cms.user(site.users.editor)
    const logs = await Promise.all(
      [ofSite, await cms.user(1)].map(async (actor) => {
        const entries = actor ? await cms.log(actor, { level: 'debug', limit: 5 }) : []
        const facts = actor ? await cms.facts(actor) : {}
        return [actor?.isAdmin, entries.length > 0, Object.keys(facts).length > 0]
      }),
    )
    await site.php(`wp_update_user(['ID' => ${site.users.editor}, 'role' => 'editor']);`)

    expect(logs).toEqual([
      [true, false, false],
      [true, true, true],
    ])
    await writeFile(config, single)
  })

  test('leaves nothing behind when it is deleted', async () => {
    const admin = "require_once ABSPATH . 'wp-admin/includes/plugin.php';"
    await site.php(`${admin} deactivate_plugins('backend-ai-chat/backend-ai-chat.php');`)
    const left = await site.php(`${admin}
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
