import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../../core/cms/bridge/line.ts'
import type { Change } from '../../../core/cms/change.ts'
import { abilityTools } from '../../../core/tool/remote/ability.ts'
import { runKit } from '../../../scripts/connect/kit/kit-run.ts'
import { type PairedSite, startPairedSite } from '../../../test/support/paired-site.ts'
import { putChange, showChange } from '../../../test/support/put.ts'
import { enterAdmin, formWith } from '../../../test/support/wp-admin.ts'
import { missing, packaged } from '../site/site.ts'

/** The folders of the WordPress that is tried, and of an ACF; where there is none, files stand in for what they lack. */
const { WORDPRESS: from = packaged, ACF: acf } = process.env

const plugins = ['abilities', 'acf', 'shop'].map((name) =>
  fileURLToPath(new URL(`plugins/${name}.php`, import.meta.url)),
)
const settings = '/wp-admin/options-general.php?page=backend-ai-chat-settings'

let paired: PairedSite

/** Makes a post by PHP, and answers its id. */
const post = async (fields: object) =>
  Number(await paired.site.php(`echo wp_insert_post(json_decode('${JSON.stringify(fields)}', true));`))

const versions = async (): Promise<Record<string, string>> =>
  JSON.parse(
    await paired.site.php("echo json_encode(array_map(['AIC_Abilities', 'version'], AIC_Abilities::all()));"),
  )

/** Allows abilities as they are now, as the form of the settings does. */
async function allow(...names: string[]) {
  const all = await versions()
  const ticked = Object.fromEntries(names.map((name) => [name, all[name]]))
  await paired.site.php(`update_option('aic_abilities', json_decode('${JSON.stringify(ticked)}', true));`)
}

describe.skipIf(missing.length > 0)('WordPress with other plugins', () => {
  beforeAll(async () => {
    paired = await startPairedSite(from, plugins)
    const { folder } = paired
    if (acf) {
      const loader = `<?php require ${JSON.stringify(join(acf, 'acf.php'))};`
      await writeFile(join(folder, 'site/wp-content/mu-plugins/a-plugin.php'), loader)
    }
  }, 120_000)
  afterAll(() => paired?.stop())

  describe('abilities', () => {
    const called = (name: string, input: object, more: object = {}, actor = paired.actors.editor) =>
      versions().then((all) =>
        paired.cms.ability(actor, { name, version: all[name] ?? '', input: { ...input }, ...more }),
      )
    const orders = async () =>
      JSON.parse(await paired.site.php("echo json_encode(get_option('shop_orders', []));"))

    test('are off until an administrator ticks them, each by itself', async () => {
      const before = [(await freshCapabilities()).abilities, await paired.cms.abilities(paired.actors.editor)]
      const admin = await enterAdmin(paired.site, 'admin')
      const page = await admin.get(settings)
      const form = formWith('aic_erase', page)
      const ticked = { 'aic_abilities[shop/price]': (await versions())['shop/price'] ?? '' }
      await admin.post('/wp-admin/options.php', { ...form, aic_erase: '1', ...ticked })

      expect(before).toEqual([false, []])
      expect(page.text).toContain('<code>shop/order</code> (waits for approval)')
      expect(page.text).toContain('<code>shop/price</code> (only reads)')
      expect((await freshCapabilities()).abilities).toBe(true)
      expect(await paired.cms.abilities(paired.actors.editor)).toEqual([
        {
          name: 'shop/price',
          title: 'Price',
          description: 'Does price.',
          input: {
            type: 'object',
            properties: { item: { type: 'string', description: 'The item' } },
            required: ['item'],
            additionalProperties: false,
          },
          readOnly: true,
          version: ticked['aic_abilities[shop/price]'],
        },
      ])
    })

    test('become tools of the chat, also those that take no object or nothing', async () => {
      await allow('shop/price', 'shop/say', 'shop/till', 'shop/order')

      const tools = await abilityTools(paired.cms, paired.actors.editor, 'WordPress')

      expect(tools.map(({ name, writes, schema }) => [name, writes, schema?.properties])).toEqual([
        ['mcp__CMS__shop_price', false, { item: { type: 'string', description: 'The item' } }],
        ['mcp__CMS__shop_say', false, { input: { type: 'string', minLength: 2 } }],
        ['mcp__CMS__shop_till', false, {}],
        ['mcp__CMS__shop_order', true, { item: { type: 'string', description: 'The item' } }],
      ])
      expect(await called('shop/price', { item: 'lamp' })).toEqual({
        output: { item: 'lamp', price: 149, for: 'editor' },
      })
      expect(await called('shop/say', { input: 'hi' })).toEqual({ output: 'HI' })
      expect(await called('shop/till', {})).toEqual({ output: null })
    })

    test('act as the user, by their own check, and refuse before anybody is asked', async () => {
      await allow('shop/price', 'shop/order')
      const { author } = paired.actors

      await expect(called('shop/order', { item: 'x' }, { dry: true }, author)).rejects.toThrow(
        'This user may not use the ability shop/order',
      )
      await expect(called('shop/order', { item: 'x' }, { key: randomUUID() }, author)).rejects.toThrow(
        /permission/,
      )
      await expect(called('shop/order', {}, { dry: true })).rejects.toThrow('item is a required property')
      expect(await called('shop/order', { item: 'x' }, { dry: true })).toEqual({ output: null })
      expect(await orders()).toEqual([])
    })

    test('that write are called with a key, once for each, and never in a batch', async () => {
      await allow('shop/order')
      const key = randomUUID()

      const first = await called('shop/order', { item: 'lamp' }, { key })
      const again = await called('shop/order', { item: 'lamp' }, { key })

      expect([first, again]).toEqual([{ output: 'Ordered.' }, undefined])
      expect(await orders()).toEqual(['lamp'])
      await expect(called('shop/order', { item: 'lamp' })).rejects.toThrow('is called with a key')
      await expect(called('shop/order', { item: 'nothing' }, { key: randomUUID() })).rejects.toThrow(
        'The shelf is empty.',
      )
      const call = { operation: 'ability', input: { name: 'shop/order', version: '', input: {}, key } }
      expect(await ask(paired.line, 'batch', 2, { calls: [call] })).toMatchObject([
        { error: { code: 'request.invalid' } },
      ])
    })

    test('with another schema are off until they are allowed again', async () => {
      await allow('shop/price', 'shop/say')
      const { 'shop/price': version = '' } = await versions()
      await paired.site.php("update_option('shop_takes_more', 1);")
      const { text } = await (await enterAdmin(paired.site, 'admin')).get(settings)
      const listed = await paired.cms.abilities(paired.actors.editor)
      const planned = { name: 'shop/price', version, input: { item: 'lamp' } }

      await expect(paired.cms.ability(paired.actors.editor, planned)).rejects.toThrow('has not allowed it')
      await allow('shop/price')
      await expect(paired.cms.ability(paired.actors.editor, planned)).rejects.toThrow('has changed')
      await paired.site.php("delete_option('shop_takes_more');")
      expect(listed.map(({ name }) => name)).toEqual(['shop/say'])
      expect(text).toContain('changed since it was allowed: off until you allow it again')
    })

    test('keep their version in every language of the user', async () => {
      const inGerman = await paired.site.php(
        "add_filter('wp_register_ability_args', fn($args) => array('description' => 'Auf Deutsch') + $args); echo json_encode(array_map(['AIC_Abilities', 'version'], AIC_Abilities::all()));",
      )

      expect(JSON.parse(inGerman)).toEqual(await versions())
    })
  })

  describe('fields that other plugins keep', () => {
    const update = (uid: number, fields: object, table = 'product') => ({ table, uid, fields }) as Change
    const make = async (write: Change, actor = paired.actors.editor) => {
      const { versions } = await showChange(paired.cms, actor, write, [])
      return putChange(paired.cms, actor, write, {
        key: randomUUID(),
        correlationId: randomUUID(),
        versions,
        now: Date.now(),
      })
    }
    const product = () =>
      post({ post_type: 'product', post_title: 'Lamp', post_status: 'publish', post_author: 2 })
    const fieldsOf = async (uid: number, table = 'product', actor = paired.actors.editor) =>
      (await paired.cms.record(actor, { table, uid }))?.fields

    test('those of ACF are described, read and changed by its own functions, on a type without REST', async () => {
      const uid = await product()
      const type = (await paired.cms.tables(paired.actors.editor)).find(({ name }) => name === 'product')
      await make(
        update(uid, { 'acf.subtitle': 'Of oak', 'acf.price': 149, 'acf.sale': true, 'acf.colour': 'red' }),
      )

      expect(
        type?.fields
          .filter(({ name }) => name.startsWith('acf.'))
          .map(({ name, label, kind, readOnly, options }) => [name, label, kind, readOnly, options]),
      ).toEqual([
        ['acf.subtitle', 'Subtitle', 'text', false, undefined],
        ['acf.story', 'Story', 'html', false, undefined],
        ['acf.price', 'Price', 'number', false, undefined],
        ['acf.sale', 'Sale', 'boolean', false, undefined],
        ['acf.colour', 'Colour', 'select', false, ['red', 'blue']],
        ['acf.leaflet', 'Leaflet', 'longtext', true, undefined],
      ])
      expect(await fieldsOf(uid)).toMatchObject({
        'acf.subtitle': 'Of oak',
        'acf.story': '',
        'acf.price': 149,
        'acf.sale': true,
        'acf.colour': 'red',
      })
      expect(
        JSON.parse(
          await paired.site.php(
            `echo json_encode([get_field('field_subtitle', ${uid}), get_post_meta(${uid}, '_subtitle', true)]);`,
          ),
        ),
      ).toEqual(['Of oak', 'field_subtitle'])
    })

    test.each([
      [{ 'acf.colour': 'green' }, /takes one of: red, blue/],
      [{ 'acf.sale': 'perhaps' }, /does not take such a value/],
      [{ 'acf.price': { of: 1 } }, /does not take such a value/],
      [{ 'acf.price': '149 EUR' }, /does not take such a value/],
      [{ 'acf.leaflet': 3 }, /cannot be changed by this user/],
    ])('%j is refused', async (fields, said) => {
      await expect(
        showChange(paired.cms, paired.actors.editor, update(await product(), fields), []),
      ).rejects.toThrow(said)
    })

    test('title and description for search engines are there before other plugins hear of the stored post', async () => {
      const uid = await product()
      await make(update(uid, { seo_title: 'Lamps <b>of oak</b>', meta_description: 'All of them' }))

      expect(await fieldsOf(uid)).toMatchObject({
        seo_title: 'Lamps of oak',
        meta_description: 'All of them',
      })
      expect(await paired.site.php("echo get_option('shop_heard');")).toBe('All of them')
    })

    test('named keys are fields of those who may edit the post, and of nobody else', async () => {
      const uid = await product()
      await paired.site.php(
        `update_post_meta(${uid}, '_isbn', '1-23'); update_post_meta(${uid}, 'parts', [1]);`,
      )
      const before = await fieldsOf(uid)
      const admin = await enterAdmin(paired.site, 'admin')
      const form = formWith('aic_meta', await admin.get(settings))
      await admin.post('/wp-admin/options.php', { ...form, aic_meta: '_isbn\n parts \nno key!\n_isbn' })

      expect(before).not.toHaveProperty(['meta._isbn'])
      expect(await paired.site.php("echo json_encode(get_option('aic_meta'));")).toBe('["_isbn","parts"]')
      expect(await fieldsOf(uid)).toMatchObject({ 'meta._isbn': '1-23', 'meta.parts': null })
      expect(await fieldsOf(uid, 'product', paired.actors.author)).not.toHaveProperty(['meta._isbn'])
      await make(update(uid, { 'meta._isbn': '4-56' }))
      expect(await fieldsOf(uid)).toMatchObject({ 'meta._isbn': '4-56' })
      await expect(
        showChange(paired.cms, paired.actors.editor, update(uid, { 'meta.parts': 'x' }), []),
      ).rejects.toThrow('holds more than one text')
    })

    test('a page of a page builder says so; its content is not changed, and the page not duplicated', async () => {
      const [built, plain] = [
        await post({ post_title: 'Built', post_type: 'page' }),
        await post({ post_title: 'Plain', post_type: 'page' }),
      ]
      await paired.site.php(`update_post_meta(${built}, '_elementor_edit_mode', 'builder');`)
      const shown = (uid: number, fields: object) =>
        showChange(paired.cms, paired.actors.admin, update(uid, fields, 'page'), [])

      expect([(await fieldsOf(built, 'page'))?.builder, (await fieldsOf(plain, 'page'))?.builder]).toEqual([
        'Elementor',
        '',
      ])
      await expect(shown(built, { content: 'New' })).rejects.toThrow(
        'is built with Elementor: visitors see what Elementor has stored',
      )
      await expect(
        showChange(
          paired.cms,
          paired.actors.admin,
          { table: 'page', uid: null, copy: built, fields: { title: 'Copy' } },
          [],
        ),
      ).rejects.toThrow('is built with Elementor: visitors see what Elementor has stored')
      expect((await shown(built, { title: 'New' })).changes).toHaveLength(1)
      expect((await shown(plain, { content: 'New' })).changes).toHaveLength(1)
    })

    test('keep every sentence of the protocol', { timeout: 180_000 }, async () => {
      const { admin, author } = paired.site.users
      const { results, left } = await runKit(
        paired.cms,
        { writer: admin, limited: author },
        { line: paired.line },
      )

      expect(results.filter(({ end }) => end === 'broken')).toEqual([])
      expect(left).toEqual([])
    })
  })

  test.each([
    ['0', ['aic_abilities', 'aic_erase', 'aic_meta', 'aic_pairing', 'aic_tools'], 1],
    ['1', [], 0],
  ])('when it is deleted, what stays is what the settings say (%s)', async (erase, options, tables) => {
    const admin = "require_once ABSPATH . 'wp-admin/includes/plugin.php';"
    const plugin = "'backend-ai-chat/backend-ai-chat.php'"
    await allow('shop/price')
    await paired.site.php(`update_option('aic_erase', '${erase}');`)
    await paired.site.php(`${admin} deactivate_plugins(${plugin});`)
    const left = await paired.site.php(`${admin}
      uninstall_plugin(${plugin});
      global $wpdb;
      echo json_encode([
        $wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'aic%' ORDER BY 1"),
        count($wpdb->get_col("SHOW TABLES LIKE '%aic%'")),
      ]);`)
    if (erase === '0') await paired.site.php(`${admin} activate_plugin(${plugin});`)

    expect(JSON.parse(left)).toEqual([options, tables])
  })
})

/** The capabilities as the site has them now, past those that the stage has kept. */
const freshCapabilities = async () =>
  (await ask(paired.line, 'capabilities', 0, {})) as Awaited<ReturnType<PairedSite['cms']['capabilities']>>
