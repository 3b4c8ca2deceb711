import { prepare } from '@/scripts/build-steps.mjs'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { type Lab, openLab } from './lab.mjs'

/** The lab for a test, or the reason why there is none. Where `CI` is set, that is an error, because no one would notice. */
export async function findLab(folder: string): Promise<Lab | string> {
  if (!IS_SOAK) return 'it takes a minute; npm run soak -- --tests runs it'
  // Otherwise the first replica builds the console while the test waits for its start.
  await prepare({ web: true })
  try {
    return await openLab(folder)
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    return error instanceof Error ? error.message : String(error)
  }
}
