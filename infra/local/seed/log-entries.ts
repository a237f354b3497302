import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import type { Row, Value } from '../../../core/cms/reference/item.ts'
import type { LogLevel } from '../../../core/cms/schema.ts'

type LogLine = [level: LogLevel, component: string, message: string, username?: string]

/** Log entries of a quiet day. */
const quiet: LogLine[] = [
  ['info', 'login', 'User editor logged in', 'editor'],
  ['debug', 'cache', 'Cache group "pages" answered 412 of 431 requests'],
  ['info', 'scheduler', 'Task "sitemap" ran in 1.8 s and wrote 58 addresses'],
  ['notice', 'redirects', '12 requests for /catalog were answered with 404'],
]

/** Events by the number of days ago. */
const events: [daysAgo: number, ...LogLine][] = [
  [29, 'notice', 'update', 'A new version of the image processor is available'],
  [27, 'warning', 'login', 'Failed login of an unknown user'],
  [26, 'info', 'records', '"Aurora lamp" (content:1) was changed: header', 'editor'],
  [25, 'error', 'mail', 'The mail server refused a message: mailbox full'],
  [22, 'warning', 'filesystem', 'The folder fileadmin/press holds 2,113 files'],
  [20, 'critical', 'database', 'The connection was lost for 41 seconds and came back by itself'],
  [19, 'notice', 'scheduler', 'Task "newsletter" was skipped: nothing to send'],
  [17, 'warning', 'login', 'Failed login of autorin', 'autorin'],
  [16, 'info', 'records', '"Jobs" (pages:16) was changed: title', 'admin'],
  [14, 'warning', 'forms', 'The form "Repair request" was sent 31 times within a minute from one address'],
  [13, 'error', 'images', 'The preview of workshop-night.tif could not be made: unknown colour space'],
  [10, 'warning', 'search', 'The index of "news" was rebuilt because it was older than a day'],
  [7, 'error', 'mail', 'A message to hello@northlight.example could not be delivered'],
  [5, 'info', 'records', '"A lamp for the harbour pilots" (news:40) was changed: hidden', 'autorin'],
  [4, 'warning', 'filesystem', 'Only 12 % of the disk is free'],
  [2, 'notice', 'update', 'Security update of the image processor installed'],
  [1, 'warning', 'login', 'Failed login of guest', 'guest'],
]

type Thrown = { daysAgo: number; entry: LogLine; thrown: Record<string, Value> }

const exceptions: Thrown[] = [
  {
    daysAgo: 9,
    entry: ['error', 'frontend', 'Oops, an error occurred: The price list could not be parsed'],
    thrown: {
      exception_class: 'Northlight\\Shop\\PriceListException',
      exception_code: 1512983421,
      exception_file: 'extensions/shop/Classes/PriceList/Parser.php',
      exception_line: 88,
      exception_trace: [
        '#0 extensions/shop/Classes/PriceList/Parser.php(88): Northlight\\Shop\\PriceList\\Parser->row()',
        '#1 extensions/shop/Classes/PriceList/Import.php(41): Northlight\\Shop\\PriceList\\Parser->parse()',
        '#2 extensions/shop/Classes/Command/ImportCommand.php(63): Northlight\\Shop\\PriceList\\Import->run()',
        '#3 core/Console/Application.php(112): Northlight\\Shop\\Command\\ImportCommand->execute()',
      ].join('\n'),
    },
  },
  {
    daysAgo: 3,
    entry: [
      'critical',
      'frontend',
      'Uncaught exception: Call to a member function getUid() on null',
      'editor',
    ],
    thrown: {
      exception_class: 'Error',
      exception_code: 0,
      exception_file: 'extensions/news/Classes/Controller/DetailController.php',
      exception_line: 137,
      exception_trace: [
        '#0 extensions/news/Classes/Controller/DetailController.php(137): News\\Controller\\DetailController->related()',
        '#1 core/Mvc/Controller/ActionController.php(211): News\\Controller\\DetailController->showAction()',
        '#2 core/Mvc/Dispatcher.php(74): Core\\Mvc\\Controller\\ActionController->processRequest()',
        '#3 core/Http/RequestHandler.php(158): Core\\Mvc\\Dispatcher->dispatch()',
        '#4 index.php(22): Core\\Http\\RequestHandler->handle()',
      ].join('\n'),
    },
  },
]

/** The log of the last thirty days, the oldest entry first. */
export function logRows(now: number): Row[] {
  const days = Array.from({ length: 30 }, (_, at) => 30 - at)
  const hourMs = dayMs / 24
  const entries = [
    ...days.flatMap((day) =>
      quiet.map((entry, at) => ({ at: now - day * dayMs + at * 3 * hourMs, entry, thrown: {} })),
    ),
    ...events.map(([day, ...entry]) => ({ at: now - day * dayMs + 5 * hourMs, entry, thrown: {} })),
    ...exceptions.map(({ daysAgo, entry, thrown }) => ({
      at: now - daysAgo * dayMs + 7 * hourMs,
      entry,
      thrown,
    })),
  ].sort((a, b) => a.at - b.at)
  return entries.map(({ at, entry: [level, component, message, username], thrown }, index) =>
    seedRow(
      'sys_log',
      index + 1,
      { pid: 0, at, by: username ?? 'system' },
      {
        level,
        component,
        message,
        username: username ?? null,
        ...thrown,
      },
    ),
  )
}
