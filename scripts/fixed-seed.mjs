// @ts-check
// The same cases each time, so that a failure is caused by the change under test. `PROPERTY_SEED=7` searches other cases.
import fc from 'fast-check'

const { PROPERTY_SEED = '1', PROPERTY_RUNS = '100', PROPERTY_SHRINK = 'on' } = process.env
fc.configureGlobal({
  seed: Number(PROPERTY_SEED),
  numRuns: Number(PROPERTY_RUNS),
  endOnFailure: PROPERTY_SHRINK === 'off',
})
