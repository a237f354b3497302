import { bridged } from '../../../test/support/bridge.ts'
import { startBench } from '../../../test/support/live.ts'
import { openBed } from '../bed.ts'
import { section } from '../section.ts'

/** What a turn asks of a CMS elsewhere, over the bridge: each request is a whole request there, rights and all. */
section(async () => {
  await openBed()
  const bench = await startBench()
  const { cms, served } = bridged(bench.site.cms)
  bench.live.cms = cms
  const editor = await bench.login('editor')
  const call = (id: string, name: string, args: object) => ({ id, name, arguments: args })
  const change = { table: 'news', uid: 1, fields: { title: 'Elsewhere' } }
  bench.api.reply({ text: '', calls: [call('one', 'get_page_content', { page: 3 })] })
  bench.api.reply({ text: '', calls: [call('two', 'get_record', { table: 'news', uid: 1 })] })
  bench.api.reply({ text: '', calls: [call('three', 'update_record', change)] })
  bench.api.reply({ text: 'Done.' })

  const { conversation } = await editor.turn('Rename it', { viewContext: { pageId: 3, module: 'page' } })
  await editor.decide(conversation.id, true)
  await bench.settle()
  await editor.poll(conversation.id)
  if ((await bench.field('news', 1)) !== 'Elsewhere') throw new Error('The turn has not made its change.')
  return [
    {
      what: 'turn of two reads and one write',
      value: served.length,
      unit: 'requests to a CMS elsewhere',
      limit: { most: 12 },
      note: 'with the requests of the page that shows it; rights are asked for each call and each write',
    },
  ]
})
