/** A site with what sites have: roles, own drafts, languages, groups, rows, blocks, rich text, pictures, a global. */
import { randomUUID } from 'node:crypto'
import { sqliteAdapter } from '@payloadcms/db-sqlite'
import { BlocksFeature, lexicalEditor } from '@payloadcms/richtext-lexical'
import { aiChat } from 'backend-ai-chat-payload'
import { buildConfig } from 'payload'

const isAdmin = ({ req }) => req.user?.roles?.includes('admin') ?? false
const isEditor = ({ req }) => Boolean(req.user?.roles?.some((role) => role !== 'author'))
/** Authors change their own records and no others; all read what is live. */
const mine = ({ req }) => (req.user ? { owner: { equals: req.user.id } } : false)
const own = (args) => isEditor(args) || mine(args)
const published = (args) =>
  isEditor(args) || { or: [{ _status: { equals: 'published' } }, ...[mine(args)].filter(Boolean)] }
const loggedIn = ({ req }) => Boolean(req.user)

/** Records without a slug have no address. */
const pathOf = ({ slug }) => slug && `/${slug}`

const quote = { slug: 'quote', fields: [{ name: 'line', type: 'text' }] }
const withQuotes = lexicalEditor({
  features: ({ defaultFeatures }) => [...defaultFeatures, BlocksFeature({ blocks: [quote] })],
})

/** A hook that does not use the errors of Payload. */
const refuseParty = ({ value }) => {
  if (value === 'Party') throw new Error('No party without the mayor.')
  return value
}

/** A database that has no room for the outcome of a put that writes `No room`. */
const withoutRoom = (config) => {
  for (const collection of config.collections)
    if (collection.slug === 'ai-chat-writes')
      collection.hooks = {
        beforeChange: [
          ({ data }) => {
            if (JSON.stringify(data).includes('No room')) throw new Error('There is no room.')
          },
        ],
      }
  return config
}

const ownerIn = (login) => ({
  name: 'owner',
  type: 'relationship',
  relationTo: login,
  admin: { readOnly: true },
  hooks: { beforeChange: [({ value, operation, req }) => (operation === 'create' ? req.user?.id : value)] },
})
const access = { read: published, create: loggedIn, update: own, delete: own }

export default ({ folder, code, previousCode, idType, url, login }) =>
  buildConfig({
    secret: 'of this test',
    editor: lexicalEditor(),
    telemetry: false,
    admin: { user: login },
    localization: { locales: ['en', 'de'], defaultLocale: 'en', fallback: true },
    db: sqliteAdapter({
      client: { url: `file:${folder}/payload.db` },
      idType,
      push: true,
      autoIncrement: true,
      wal: true,
      busyTimeout: 2_000,
      transactionOptions: {},
    }),
    collections: [
      {
        slug: login,
        auth: true,
        access: { admin: ({ req }) => !req.user?.roles?.includes('guest'), read: loggedIn },
        fields: [
          { name: 'name', type: 'text' },
          { name: 'roles', type: 'select', hasMany: true, options: ['admin', 'editor', 'author', 'guest'] },
        ],
      },
      {
        slug: 'pages',
        versions: { drafts: true },
        trash: true,
        admin: { useAsTitle: 'title' },
        access,
        fields: [
          { name: 'title', type: 'text', required: true },
          {
            name: 'slug',
            type: 'text',
            hooks: { beforeChange: [({ value }) => value?.toLowerCase().replaceAll(' ', '-')] },
          },
          { name: 'parent', type: 'relationship', relationTo: 'pages' },
          {
            name: 'meta',
            type: 'group',
            fields: [{ name: 'description', type: 'textarea', maxLength: 160 }],
          },
          {
            name: 'layout',
            type: 'blocks',
            blocks: [
              { slug: 'quote', fields: [{ name: 'text', type: 'text', required: true }] },
              { slug: 'picture', fields: [{ name: 'image', type: 'upload', relationTo: 'media' }] },
            ],
          },
          ownerIn(login),
        ],
      },
      {
        slug: 'posts',
        versions: { drafts: true },
        admin: { useAsTitle: 'title' },
        access,
        fields: [
          { name: 'title', type: 'text', required: true, localized: true },
          { name: 'body', type: 'richText', localized: true },
          { name: 'price', type: 'number', min: 0 },
          { name: 'until', type: 'date' },
          { name: 'kind', type: 'select', options: ['news', 'product'] },
          { name: 'tags', type: 'text', hasMany: true },
          { name: 'image', type: 'upload', relationTo: 'media' },
          { name: 'related', type: 'relationship', relationTo: ['posts', 'pages'], hasMany: true },
          { name: 'rows', type: 'array', fields: [{ name: 'line', type: 'text' }] },
          { name: 'note', type: 'text', access: { read: isAdmin, update: isAdmin } },
          { name: 'secret', type: 'text', hidden: true },
          ownerIn(login),
        ],
      },
      {
        slug: 'media',
        upload: { staticDir: `${folder}/media`, mimeTypes: ['image/*'] },
        access: { read: () => true, update: isEditor },
        fields: [
          { name: 'alt', type: 'text', required: true },
          {
            name: 'rights',
            type: 'array',
            fields: [
              { name: 'holder', type: 'text' },
              { name: 'fee', type: 'text', access: { read: isAdmin, update: isAdmin } },
            ],
          },
        ],
      },
      {
        slug: 'events',
        versions: { drafts: true },
        admin: { useAsTitle: 'title' },
        access,
        fields: [
          {
            name: 'title',
            type: 'text',
            required: true,
            hooks: { beforeChange: [refuseParty] },
          },
          { name: 'text', type: 'richText', editor: withQuotes },
          // Another time and another mark at each change, as sites stamp what they publish.
          { name: 'stampedAt', type: 'date', hooks: { beforeChange: [() => new Date()] } },
          { name: 'mark', type: 'text', unique: true, hooks: { beforeChange: [() => randomUUID()] } },
          {
            name: 'steps',
            type: 'array',
            fields: [
              { name: 'name', type: 'text', localized: true, required: true },
              { name: 'hours', type: 'number' },
            ],
          },
          {
            name: 'halls',
            type: 'array',
            fields: [
              { name: 'sign', type: 'group', fields: [{ name: 'text', type: 'text', localized: true }] },
            ],
          },
          { name: 'banners', type: 'blocks', blockReferences: ['banner'], blocks: [] },
          ownerIn(login),
        ],
      },
      {
        slug: 'letters',
        timestamps: false,
        access: { read: isAdmin, update: isAdmin },
        fields: [{ name: 'subject', type: 'text' }],
      },
    ],
    blocks: [
      {
        slug: 'banner',
        fields: [{ name: 'claim', type: 'text', localized: true }],
      },
    ],
    globals: [
      {
        slug: 'header',
        access: { read: () => true, update: isEditor },
        versions: true,
        fields: [{ name: 'claim', type: 'text' }],
      },
      {
        slug: 'footer',
        access: { read: () => true, update: isEditor },
        versions: { drafts: true },
        fields: [{ name: 'claim', type: 'text' }],
      },
    ],
    plugins: [
      aiChat({
        code,
        previousCode,
        url,
        origins: ['https://www.example.com'],
        addresses: { pages: pathOf, posts: pathOf },
      }),
      withoutRoom,
    ],
  })
