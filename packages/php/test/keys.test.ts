import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, startDatabase } from '../../wordpress/site/database.ts'
import { missing } from '../../wordpress/site/site.ts'
import { lacksPhp } from './site.ts'

const run = promisify(execFile)
const kit = fileURLToPath(new URL('../src/autoload.php', import.meta.url))

let folder: string
let database: Database | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'php-keys-'))
})
afterAll(async () => {
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs PHP with `$pdo` on a database and `$keys` in it, and answers what it prints. */
async function php(dsn: string, code: string): Promise<string> {
  const begin = `require '${kit}'; use BackendAiChat\\{Once, PdoKeys, Refused};
    $pdo = new PDO('${dsn}', 'root', ''); $keys = new PdoKeys($pdo); ${code}`
  return (await run('php', ['-r', begin])).stdout
}

const databases: [string, boolean, () => Promise<string>][] = [
  ['SQLite', lacksPhp, async () => `sqlite:${folder}/keys.sqlite`],
  [
    'MariaDB',
    missing.length > 0,
    async () => {
      database = await startDatabase(folder)
      return `mysql:unix_socket=${database.socket};dbname=wp`
    },
  ],
]

test.skipIf(lacksPhp)(
  'A refusal is said also where a database takes no statement after one that failed',
  async () => {
    const keys = `new class implements BackendAiChat\\Keys {
    public function add(string $name, string $text, int $until): bool { return true; }
    public function read(string $name): ?string { return null; }
    public function set(string $name, string $text): void {}
    public function remove(string $name): void { throw new RuntimeException('The transaction is aborted.'); }
    public function transaction(callable $run): mixed { return $run(); }
  }`
    const refuse = "throw new Refused('The address is taken.');"
    const said = await php(
      `sqlite:${folder}/none.sqlite`,
      `try { (new Once(${keys}))->make('put:1:taken', function () { ${refuse} }); } catch (Throwable $error) { echo $error->getMessage(); }`,
    )

    expect(said).toBe('The address is taken.')
  },
)

describe.each(databases)('In %s', (_, isMissing, open) => {
  describe.skipIf(isMissing)('a put', () => {
    let dsn: string
    beforeAll(async () => {
      dsn = await open()
      await php(dsn, "$keys->install(); $pdo->exec('CREATE TABLE made (name VARCHAR(10))');")
    })
    const make = (name: string, then: string) =>
      php(
        dsn,
        `try { echo json_encode((new Once($keys))->make('put:1:${name}', function () use ($pdo) {
          $pdo->exec("INSERT INTO made VALUES ('${name}')"); ${then} })); } catch (Refused $refused) { echo $refused->getMessage(); }`,
      )
    const countOf = (name: string) =>
      php(dsn, `echo $pdo->query("SELECT COUNT(*) FROM made WHERE name = '${name}'")->fetchColumn();`)

    test('of several with one key at the same time is made once, and all have its end', async () => {
      const done = "usleep(200000); return ['state' => 'done', 'uid' => random_int(1, PHP_INT_MAX)];"
      const ends = await Promise.all([1, 2, 3, 4].map(() => make('race', done)))

      expect([new Set(ends).size, await countOf('race')]).toEqual([1, '1'])
    })

    test('that is refused stores nothing, neither a row nor its key', async () => {
      expect(await make('refused', "throw new Refused('The house is closed.');")).toBe('The house is closed.')
      expect(await countOf('refused')).toBe('0')
      expect(await make('refused', "return ['state' => 'done'];")).toBe('{"state":"done"}')
    })

    test('whose process ended before its end is void after a minute', async () => {
      await php(
        dsn,
        `$keys->add('put:1:dead', '{"begunAt":${Math.floor(Date.now() / 1000) - 61}}', PHP_INT_MAX);`,
      )

      expect(await make('dead', "return ['state' => 'done'];")).toBe('{"state":"void"}')
    })
  })
})

test.skipIf(lacksPhp)('A question may name the moment from which Unix counts', async () => {
  const put =
    "array('put' => array('table' => 'news', 'uid' => 3, 'state' => array('state' => 'live', 'from' => $from)), 'versions' => array(), 'dry' => true)"
  const ask = `foreach (array('1970-01-01T00:00:00Z', '1970-01-01T00:00:01Z', 'no time') as $from) {
    try { (new BackendAiChat\\Questions(array('record' => 'number', 'user' => 'number')))->read('put', ${put}); echo 'yes '; }
    catch (Refused $refused) { echo 'no '; }
  }`

  expect(await php(`sqlite:${folder}/none.sqlite`, ask)).toBe('yes yes no ')
})
