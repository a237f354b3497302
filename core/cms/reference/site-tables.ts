import {
  type FieldSpec,
  flag,
  html,
  longtext,
  medium,
  moment,
  number,
  relation,
  select,
  type TableSpec,
  text,
} from './field.ts'

const translated = { translated: true }

const bits = (name: string, en: string): FieldSpec => number(name, en, { ownerOnly: true, range: [0, 31] })

const hidden = flag('hidden', 'Hidden')
const language = number('language', 'Language', { range: [-1, 99] })
const original = (table: string): FieldSpec =>
  relation('original', 'Translation of', { relation: table, readOnly: true })
const sorting = number('sorting', 'Sorting', { range: [0, 2 ** 31] })
const publishing: FieldSpec[] = [
  moment('starttime', 'Publish from', { exclude: true }),
  moment('endtime', 'Publish until', { exclude: true }),
]
const editlock = flag('editlock', 'Only administrators may edit', {
  exclude: true,
})

const pages: TableSpec = {
  name: 'pages',
  label: { en: 'Pages' },
  labelField: 'title',
  hiddenField: 'hidden',
  order: 'sorting',
  fields: [
    text('title', 'Title', { required: true, searchable: true, ...translated }),
    text('slug', 'Address', { unique: true, ...translated }),
    text('nav_title', 'Title in menus', { searchable: true, exclude: true, ...translated }),
    longtext('description', 'Description', { searchable: true, ...translated }),
    text('keywords', 'Keywords', { searchable: true, exclude: true, ...translated }),
    text('seo_title', 'Title for search engines', {
      exclude: true,
      ...translated,
    }),
    text('og_title', 'Title for social media', translated),
    longtext('og_description', 'Text for social media', translated),
    medium('og_image', 'Picture for social media'),
    flag('no_index', 'Keep out of search engines', { exclude: true }),
    select('type', 'Type', ['standard', 'link', 'shortcut', 'folder'], { exclude: true }),
    hidden,
    { ...language, readOnly: true },
    original('pages'),
    sorting,
    ...publishing,
    editlock,
    relation('perms_userid', 'Owner', { relation: 'be_users', ownerOnly: true }),
    relation('perms_groupid', 'Group', { relation: 'be_groups', ownerOnly: true }),
    bits('perms_user', 'Rights of the owner'),
    bits('perms_group', 'Rights of the group'),
    bits('perms_everybody', 'Rights of everybody'),
  ],
}

const content: TableSpec = {
  name: 'content',
  label: { en: 'Content' },
  labelField: 'header',
  hiddenField: 'hidden',
  order: 'sorting',
  fields: [
    select('type', 'Type', ['text', 'header', 'list', 'html'], { required: true }),
    text('header', 'Header', { searchable: true, ...translated }),
    text('subheader', 'Subheader', { searchable: true, exclude: true, ...translated }),
    html('body', 'Body', { searchable: true, ...translated }),
    medium('image', 'Picture'),
    language,
    original('content'),
    number('column', 'Column', { range: [0, 9] }),
    hidden,
    sorting,
    ...publishing,
    editlock,
  ],
}

const news: TableSpec = {
  name: 'news',
  label: { en: 'News' },
  labelField: 'title',
  hiddenField: 'hidden',
  order: 'newest',
  fields: [
    text('title', 'Title', { required: true, searchable: true, ...translated }),
    longtext('teaser', 'Teaser', { searchable: true, ...translated }),
    html('body', 'Body', { searchable: true, ...translated }),
    medium('image', 'Picture'),
    moment('date', 'Date', { required: true }),
    text('author', 'Author', { searchable: true }),
    text('category', 'Category', { searchable: true, ...translated }),
    language,
    original('news'),
    hidden,
    ...publishing,
  ],
}

const media: TableSpec = {
  name: 'media',
  label: { en: 'Media' },
  labelField: 'title',
  isUploaded: true,
  order: 'newest',
  fields: [
    text('title', 'Title', { required: true, searchable: true }),
    text('alternative', 'Alternative text', { searchable: true }),
    text('file', 'File', { readOnly: true, searchable: true }),
    text('folder', 'Folder', { readOnly: true, searchable: true }),
    text('mime_type', 'Type of file', { readOnly: true }),
  ],
}

/** The tables of the site itself, in the order in which they are listed. */
export const siteTables: TableSpec[] = [pages, content, news, media]
