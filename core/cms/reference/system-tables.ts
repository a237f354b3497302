import { languages } from '../../base/language.ts'
import { levels } from '../schema.ts'
import { flag, list, longtext, moment, number, relation, select, type TableSpec, text } from './field.ts'

const rightsTables = ['pages', 'content', 'news', 'media']

const users: TableSpec = {
  name: 'be_users',
  label: { en: 'Backend users', de: 'Backend-Benutzer' },
  labelField: 'username',
  hiddenField: 'disable',
  adminOnly: true,
  order: 'newest',
  fields: [
    text('username', 'Username', 'Benutzername', { readOnly: true, required: true, searchable: true }),
    text('name', 'Name', 'Name', { searchable: true }),
    text('email', 'Email', 'E-Mail', { searchable: true }),
    flag('admin', 'Administrator', 'Administrator', { readOnly: true }),
    list('usergroup', 'Groups', 'Gruppen', { relation: 'be_groups' }),
    list('db_mountpoints', 'Page mounts', 'Seitenfreigaben', { relation: 'pages' }),
    select('lang', 'Language', 'Sprache', [...languages]),
    flag('disable', 'Disabled', 'Deaktiviert'),
    moment('starttime', 'Active from', 'Aktiv ab'),
    moment('endtime', 'Active until', 'Aktiv bis'),
    moment('lastlogin', 'Last login', 'Letzte Anmeldung', { readOnly: true }),
  ],
}

const groups: TableSpec = {
  name: 'be_groups',
  label: { en: 'Backend groups', de: 'Backend-Gruppen' },
  labelField: 'title',
  hiddenField: 'hidden',
  adminOnly: true,
  order: 'newest',
  fields: [
    text('title', 'Title', 'Titel', { required: true, searchable: true }),
    longtext('description', 'Description', 'Beschreibung', { searchable: true }),
    list('subgroup', 'Inherits from groups', 'Erbt von Gruppen', { relation: 'be_groups' }),
    list('tables_select', 'Tables to read', 'Lesbare Tabellen', { options: rightsTables }),
    list('tables_modify', 'Tables to change', 'Änderbare Tabellen', { options: rightsTables }),
    list('non_exclude_fields', 'Allowed exclude fields', 'Erlaubte Ausschlussfelder'),
    list('db_mountpoints', 'Page mounts', 'Seitenfreigaben', { relation: 'pages' }),
    list('allowed_languages', 'Allowed languages', 'Erlaubte Sprachen'),
    flag('hidden', 'Disabled', 'Deaktiviert'),
  ],
}

const log: TableSpec = {
  name: 'sys_log',
  label: { en: 'Log', de: 'Protokoll' },
  labelField: 'message',
  adminOnly: true,
  readOnly: true,
  order: 'newest',
  fields: [
    select('level', 'Level', 'Stufe', [...levels]),
    text('component', 'Component', 'Komponente'),
    longtext('message', 'Message', 'Meldung'),
    text('username', 'User', 'Benutzer'),
    text('exception_class', 'Exception', 'Ausnahme'),
    number('exception_code', 'Code', 'Code'),
    text('exception_file', 'File', 'Datei'),
    number('exception_line', 'Line', 'Zeile'),
    longtext('exception_trace', 'Trace', 'Ablauf'),
  ],
}

const history: TableSpec = {
  name: 'sys_history',
  label: { en: 'History', de: 'Verlauf' },
  labelField: 'action',
  adminOnly: true,
  readOnly: true,
  order: 'newest',
  fields: [
    select('action', 'Action', 'Aktion', ['add', 'modify', 'move', 'delete', 'undelete']),
    text('tablename', 'Table', 'Tabelle'),
    number('recuid', 'Record', 'Datensatz'),
    relation('userid', 'User', 'Benutzer', { relation: 'be_users' }),
    text('username', 'Username', 'Benutzername'),
    text('correlation_id', 'Run', 'Lauf'),
    longtext('history_data', 'Changes', 'Änderungen'),
  ],
}

/** The tables of the system itself: for administrators alone. */
export const systemTables: TableSpec[] = [users, groups, log, history]
