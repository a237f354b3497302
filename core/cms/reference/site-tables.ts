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

const bits = (name: string, en: string, de: string): FieldSpec =>
  number(name, en, de, { ownerOnly: true, range: [0, 31] })

const hidden = flag('hidden', 'Hidden', 'Verborgen')
const language = number('language', 'Language', 'Sprache', { range: [-1, 99] })
const original = (table: string): FieldSpec =>
  relation('original', 'Translation of', 'Übersetzung von', { relation: table, readOnly: true })
const sorting = number('sorting', 'Sorting', 'Sortierung', { range: [0, 2 ** 31] })
const publishing: FieldSpec[] = [
  moment('starttime', 'Publish from', 'Veröffentlichen ab', { exclude: true }),
  moment('endtime', 'Publish until', 'Veröffentlichen bis', { exclude: true }),
]
const editlock = flag('editlock', 'Only administrators may edit', 'Nur Administratoren dürfen bearbeiten', {
  exclude: true,
})

const pages: TableSpec = {
  name: 'pages',
  label: { en: 'Pages', de: 'Seiten' },
  labelField: 'title',
  hiddenField: 'hidden',
  order: 'sorting',
  fields: [
    text('title', 'Title', 'Titel', { required: true, searchable: true, ...translated }),
    text('slug', 'Address', 'Adresse', { unique: true, ...translated }),
    text('nav_title', 'Title in menus', 'Titel in Menüs', { searchable: true, exclude: true, ...translated }),
    longtext('description', 'Description', 'Beschreibung', { searchable: true, ...translated }),
    text('keywords', 'Keywords', 'Stichwörter', { searchable: true, exclude: true, ...translated }),
    text('seo_title', 'Title for search engines', 'Titel für Suchmaschinen', {
      exclude: true,
      ...translated,
    }),
    text('og_title', 'Title for social media', 'Titel für soziale Medien', translated),
    longtext('og_description', 'Text for social media', 'Text für soziale Medien', translated),
    medium('og_image', 'Picture for social media', 'Bild für soziale Medien'),
    flag('no_index', 'Keep out of search engines', 'Von Suchmaschinen ausschließen', { exclude: true }),
    select('type', 'Type', 'Typ', ['standard', 'link', 'shortcut', 'folder'], { exclude: true }),
    hidden,
    { ...language, readOnly: true },
    original('pages'),
    sorting,
    ...publishing,
    editlock,
    relation('perms_userid', 'Owner', 'Besitzer', { relation: 'be_users', ownerOnly: true }),
    relation('perms_groupid', 'Group', 'Gruppe', { relation: 'be_groups', ownerOnly: true }),
    bits('perms_user', 'Rights of the owner', 'Rechte des Besitzers'),
    bits('perms_group', 'Rights of the group', 'Rechte der Gruppe'),
    bits('perms_everybody', 'Rights of everybody', 'Rechte aller'),
  ],
}

const content: TableSpec = {
  name: 'content',
  label: { en: 'Content', de: 'Inhalt' },
  labelField: 'header',
  hiddenField: 'hidden',
  order: 'sorting',
  fields: [
    select('type', 'Type', 'Typ', ['text', 'header', 'list', 'html'], { required: true }),
    text('header', 'Header', 'Überschrift', { searchable: true, ...translated }),
    text('subheader', 'Subheader', 'Unterüberschrift', { searchable: true, exclude: true, ...translated }),
    html('body', 'Body', 'Text', { searchable: true, ...translated }),
    medium('image', 'Picture', 'Bild'),
    language,
    original('content'),
    number('column', 'Column', 'Spalte', { range: [0, 9] }),
    hidden,
    sorting,
    ...publishing,
    editlock,
  ],
}

const news: TableSpec = {
  name: 'news',
  label: { en: 'News', de: 'Nachrichten' },
  labelField: 'title',
  hiddenField: 'hidden',
  order: 'newest',
  fields: [
    text('title', 'Title', 'Titel', { required: true, searchable: true, ...translated }),
    longtext('teaser', 'Teaser', 'Anreißer', { searchable: true, ...translated }),
    html('body', 'Body', 'Text', { searchable: true, ...translated }),
    medium('image', 'Picture', 'Bild'),
    moment('date', 'Date', 'Datum', { required: true }),
    text('author', 'Author', 'Autor', { searchable: true }),
    text('category', 'Category', 'Kategorie', { searchable: true, ...translated }),
    language,
    original('news'),
    hidden,
    ...publishing,
  ],
}

const media: TableSpec = {
  name: 'media',
  label: { en: 'Media', de: 'Medien' },
  labelField: 'title',
  isUploaded: true,
  order: 'newest',
  fields: [
    text('title', 'Title', 'Titel', { required: true, searchable: true }),
    text('alternative', 'Alternative text', 'Alternativtext', { searchable: true }),
    text('file', 'File', 'Datei', { readOnly: true, searchable: true }),
    text('folder', 'Folder', 'Ordner', { readOnly: true, searchable: true }),
    text('mime_type', 'Type of file', 'Dateityp', { readOnly: true }),
  ],
}

/** The tables of the site itself, in the order in which they are listed. */
export const siteTables: TableSpec[] = [pages, content, news, media]
