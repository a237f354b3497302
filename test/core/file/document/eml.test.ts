import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'

const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n'))

test('a mail becomes its head, its text and the names of its attachments', async () => {
  const file = mail(
    'From: =?utf-8?B?SsO8cmdlbg==?= <j@example.org>',
    'To: Ada <ada@example.org>, team@example.org',
    'Subject: =?iso-8859-1?Q?Gr=FC=DFe?=',
    'Date: Tue, 03 Feb 2026 10:00:00 +0100',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Die Preise =FCberlegen wir.',
    '--b',
    'Content-Type: application/pdf; name="prices.pdf"',
    'Content-Disposition: attachment; filename="prices.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0=',
    '--b',
    'Content-Type: image/png; name="logo.png"',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0=',
    '--b--',
  )

  expect(await extract(file, 'eml')).toMatchObject({
    state: 'whole',
    text: `From: Jürgen <j@example.org>
To: Ada <ada@example.org>, team@example.org
Date: 2026-02-03T09:00:00.000Z
Subject: Grüße

Die Preise überlegen wir.

## Attachments

- prices.pdf (application/pdf)
- logo.png (image/png)`,
    leftOut: ['pictures', 'embeddedFiles'],
  })
})

test('a mail in bytes of Windows-1252 that names no charset is read as such', async () => {
  const lines = ['From: Jürgen <j@example.org>', 'Subject: Grüße', '', 'Die Preise überlegen wir – für 5 €.']
  const file = Buffer.from(lines.join('\r\n').replace('–', '\x96').replace('€', '\x80'), 'latin1')

  expect((await extract(file, 'eml')).text).toBe(
    'From: Jürgen <j@example.org>\nSubject: Grüße\n\nDie Preise überlegen wir – für 5 €.',
  )
  expect((await extract(mail(...lines), 'eml')).text).toContain('Die Preise überlegen wir – für 5 €.')
})

test('a mail of HTML alone gives the text that a person reads', async () => {
  const file = mail(
    'From: a@example.org',
    'Content-Type: text/html',
    '',
    '<style>p{color:red}</style><p>Read <a href="https://example.org/">this</a></p><script>x()</script>',
  )

  expect((await extract(file, 'eml')).text).toBe('From: a@example.org\n\nRead this (https://example.org/)')
})
