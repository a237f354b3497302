import { bridged, turnOfThree } from '../../../test/support/bridge.ts'
import { startBench } from '../../../test/support/live.ts'
import { openBed } from '../bed.ts'
import { section } from '../section.ts'

/**
 * Measures the requests of a turn to a connected CMS over the bridge; each is a whole request, with its check of
 * rights.
 */
section(async () => {
  await openBed()
  const bench = await startBench()
  const { cms, served } = bridged(bench.site.cms)
  bench.live.cms = cms
  await turnOfThree(bench)
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
