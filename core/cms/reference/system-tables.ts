import { languages } from '../../base/language.ts'
import { levels } from '../schema.ts'
import { flag, list, longtext, moment, number, relation, select, type TableSpec, text } from './field.ts'

const rightsTables = ['pages', 'content', 'news', 'media']

const users: TableSpec = {
  name: 'be_users',
  label: { en: 'Backend users' },
  labelField: 'username',
  hiddenField: 'disable',
  adminOnly: true,
  order: 'newest',
  fields: [
    text('username', 'Username', { readOnly: true, required: true, searchable: true }),
    text('name', 'Name', { searchable: true }),
    text('email', 'Email', { searchable: true }),
    flag('admin', 'Administrator', { readOnly: true }),
    list('usergroup', 'Groups', { relation: 'be_groups' }),
    list('db_mountpoints', 'Page mounts', { relation: 'pages' }),
    select('lang', 'Language', [...languages]),
    flag('disable', 'Disabled'),
    moment('starttime', 'Active from'),
    moment('endtime', 'Active until'),
    moment('lastlogin', 'Last login', { readOnly: true }),
  ],
}

const groups: TableSpec = {
  name: 'be_groups',
  label: { en: 'Backend groups' },
  labelField: 'title',
  hiddenField: 'hidden',
  adminOnly: true,
  order: 'newest',
  fields: [
    text('title', 'Title', { required: true, searchable: true }),
    longtext('description', 'Description', { searchable: true }),
    list('subgroup', 'Inherits from groups', { relation: 'be_groups' }),
    list('tables_select', 'Tables to read', { options: rightsTables }),
    list('tables_modify', 'Tables to change', { options: rightsTables }),
    list('non_exclude_fields', 'Allowed exclude fields'),
    list('db_mountpoints', 'Page mounts', { relation: 'pages' }),
    list('allowed_languages', 'Allowed languages'),
    flag('hidden', 'Disabled'),
  ],
}

const log: TableSpec = {
  name: 'sys_log',
  label: { en: 'Log' },
  labelField: 'message',
  adminOnly: true,
  readOnly: true,
  order: 'newest',
  fields: [
    select('level', 'Level', [...levels]),
    text('component', 'Component'),
    longtext('message', 'Message'),
    text('username', 'User'),
    text('exception_class', 'Exception'),
    number('exception_code', 'Code'),
    text('exception_file', 'File'),
    number('exception_line', 'Line'),
    longtext('exception_trace', 'Trace'),
  ],
}

const history: TableSpec = {
  name: 'sys_history',
  label: { en: 'History' },
  labelField: 'action',
  adminOnly: true,
  readOnly: true,
  order: 'newest',
  fields: [
    select('action', 'Action', ['add', 'modify', 'move', 'delete', 'undelete']),
    text('tablename', 'Table'),
    number('recuid', 'Record'),
    relation('userid', 'User', { relation: 'be_users' }),
    text('username', 'Username'),
    text('correlation_id', 'Run'),
    longtext('history_data', 'Changes'),
  ],
}

/** The tables of the system itself: for administrators alone. */
export const systemTables: TableSpec[] = [users, groups, log, history]
